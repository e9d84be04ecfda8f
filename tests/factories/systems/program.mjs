// A retriever that answers lines of JSON with the same passages each time, calmly or not.
// node program.mjs calm|rough FOLDER: a rough one is in trouble the first time that it is asked some
// of the queries, and remembers them by files in the folder, since it may not live on.
import { existsSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const LATENCY = 2;
const passages = 200;
const [manner, folder] = process.argv.slice(2);
const numberOf = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 100_003, 7);
const write = (text) => writeSync(1, text);
const hang = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);

const trouble = [
  () => process.exit(3),
  () => hang(),
  () => write('{"id": \n'),
  (id) => { write(`{"id": "${id}`); process.exit(0); },
  () => { write("loading the index\n"); return true; },
];

for await (const line of createInterface({ input: process.stdin })) {
  const { id, query, k } = JSON.parse(line);
  const number = numberOf(query);
  const path = join(folder, id);
  if (manner === "rough" && number % 33 === 0 && !existsSync(path)) {
    writeFileSync(path, "");
    const happens = trouble[Math.floor(number / 33) % 16] ?? (() => write(`{"id": "${id}", "error": "busy"}\n`));
    if (!happens(id)) continue;
  }
  setTimeout(() => {
    const ranks = Array.from({ length: k }, (_, rank) => rank);
    write(JSON.stringify({
      id,
      ids: ranks.map((rank) => String((number + rank * 7) % passages)),
      scores: ranks.map((rank) => 1 / (rank + 1)),
    }) + "\n");
  }, LATENCY);
}
