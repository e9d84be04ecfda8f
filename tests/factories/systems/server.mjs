// A system that answers every query with the same passages each time, calmly or not.
// node server.mjs: /calm answers; /rough fails the first time that it is asked some of the queries;
// /failing never answers some of them with a ranking; /dead answers none; /echo repeats a header;
// /stats says how often it was asked and how many requests it had at once.
import { createServer } from "node:http";

const LATENCY = 4;
const passages = 200;
const asked = new Map();
const stats = { requests: 0, most: 0, connections: 0 };
let underWay = 0;

const numberOf = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 100_003, 7);
const answer = (query, k) =>
  Array.from({ length: k }, (_, rank) => ({
    score: 1 / (rank + 1), metadata: { number: (numberOf(query) + rank * 7) % passages },
  }));

const trouble = [
  (response) => response.writeHead(500).end("out of order"),
  (response) => response.writeHead(429, { "Retry-After": "0" }).end(),
  () => {},  // it hangs
  (response) => response.end('{"results": [{"sco'),
  (response) => response.destroy(),
  (response) => { response.writeHead(200, { "Content-Length": 999 }); response.write("{"); response.destroy(); },
];

const results = (listed) => (response) => response.end(JSON.stringify({ results: listed }));
const wrong = [
  (response) => response.writeHead(500).end("out of order"),
  (response) => response.writeHead(404).end(),
  (response) => response.end("<html>"),
  (response) => response.end("{}"),
  results([{ score: 1, metadata: { number: passages } }]),
  results([{ score: "high", metadata: { number: 1 } }]),
  results([{ metadata: { number: 1 } }]),
];

const server = createServer(async (request, response) => {
  const pieces = [];
  try {
    for await (const piece of request) pieces.push(piece);
  } catch {
    return;  // who asked has gone
  }
  if (request.url === "/stats") return response.end(JSON.stringify(stats));
  const { pathname, searchParams } = new URL(request.url, "http://host");
  if (pathname === "/echo") return response.writeHead(400).end(request.headers["x-api-key"]);
  stats.requests += 1;
  underWay += 1;
  stats.most = Math.max(stats.most, underWay);
  await new Promise((resolve) => setTimeout(resolve, LATENCY));
  underWay -= 1;
  const { query, k } = request.method === "GET"
    ? { query: searchParams.get("query"), k: Number(searchParams.get("k")) }
    : JSON.parse(Buffer.concat(pieces).toString("utf8"));
  const times = (asked.get(pathname + query) ?? 0) + 1;
  asked.set(pathname + query, times);
  const number = numberOf(query);
  if (pathname === "/rough" && times === 1 && number % 33 === 0)
    return trouble[Math.floor(number / 33) % trouble.length](response);
  if (pathname === "/failing" && number % 33 === 0)
    return wrong[Math.floor(number / 33) % wrong.length](response);
  if (pathname === "/dead") return wrong[0](response);
  response.end(JSON.stringify({ results: answer(query, k) }));
});
server.on("connection", () => { stats.connections += 1; });
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
