// A retriever without Python: words in common, the rarer the more they count.
// node search_server.mjs PASSAGES.jsonl [PORT] answers POST /search with {"query": ..., "k": 10} by
// {"results": [{"id": "p1", "score": 3.2, "metadata": {"title": ...}}, ...]}.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [file, port = "8731"] = process.argv.slice(2);
const wordsOf = (text) => new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
const passages = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line.trim())
  .map((line) => JSON.parse(line))
  .map(({ id, title = "", text }) => ({ id, title, words: wordsOf(`${title} ${text}`) }));
const holding = new Map();
for (const { words } of passages)
  for (const word of words) holding.set(word, (holding.get(word) ?? 0) + 1);

function search(query, k) {
  const wanted = [...wordsOf(query)].filter((word) => holding.has(word));
  return passages
    .map(({ id, title, words }) => {
      const common = wanted.filter((word) => words.has(word));
      const score = common.reduce(
        (sum, word) => sum + Math.log(1 + passages.length / holding.get(word)), 0);
      return { id, score, metadata: { title } };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, k);
}

const server = createServer(async (request, response) => {
  try {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const { query, k } = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ results: search(query, k) }));
  } catch (error) {
    response.writeHead(400).end(JSON.stringify({ error: error.message }));
  }
});
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
