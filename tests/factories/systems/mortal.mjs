// A server whose process dies at some of the queries, the first time that it is asked them, with all
// that it has under way; another takes its place.
import cluster from "node:cluster";
import { createServer } from "node:http";

if (cluster.isPrimary) {
  const died = [];
  let port;
  const start = () => {
    const worker = cluster.fork({ DIED: JSON.stringify(died), PORT: port ?? 0 });
    worker.on("message", ({ dies }) => died.push(dies));
    worker.on("listening", (address) => {
      if (port === undefined) console.log(`http://127.0.0.1:${address.port}`);
      port = address.port;
    });
    worker.on("exit", start);
  };
  start();
} else {
  const died = new Set(JSON.parse(process.env.DIED));
  createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const { query, k } = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    const number = Number(query.split(" ")[1]);
    if (number % 300 === 100 && !died.has(query)) process.send({ dies: query }, () => process.exit(1));
    else setTimeout(() => response.end(JSON.stringify({
      results: Array.from({ length: k }, (_, rank) => ({ id: (number + rank) % 200, score: k - rank })),
    })), 4);
  }).listen(Number(process.env.PORT), "127.0.0.1");
}
