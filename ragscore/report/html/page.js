"use strict";
/* Sorting, copying and theme; everything else works without it. See page_links.js for links. */

/** By what the scripts say in English, the page's language; empty where that is English. */
const translations = {};

/** A text with its facts, in one pass: braces in a name are no place for another fact. */
function _(text, facts = {}) {
  return (translations[text] ?? text).replace(
    /\{(\w+)\}/g, (place, name) => Object.hasOwn(facts, name) ? String(facts[name]) : place);
}

(() => {
  const root = document.documentElement;
  // Without this the payloads cannot be read: the page stays as it is without a script.
  if (!("DecompressionStream" in window)) return;
  root.classList.remove("no-js");
  // See prepareMarks(): before the first look at styles.
  for (const panel of document.querySelectorAll(".panel")) panel.classList.add("marks");

  const unpacked = new Map();

  /** What a payload holds, read once: base64 of deflated JSON. */
  function unpack(id) {
    if (!unpacked.has(id)) unpacked.set(id, read(id));
    return unpacked.get(id);
  }

  async function read(id) {
    const text = document.getElementById(`payload-${id}`).textContent;
    const bytes = Uint8Array.fromBase64
      ? Uint8Array.fromBase64(text)
      : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  }

  async function readTranslations() {
    Object.assign(translations, await unpack("translations"));
  }

  window.ragscorePage = { unpack, readTranslations };

  function button(className, label) {
    const element = document.createElement("button");
    element.type = "button";
    element.className = className;
    element.textContent = label;
    return element;
  }

  // Tables.

  function prepareTables() {
    for (const table of document.querySelectorAll("table[data-table]")) {
      if (table.closest(".without-script")) continue;
      if (table.tBodies[0].rows.length > 1) addSorting(table);
      addCopies(table);
    }
  }

  function addSorting(table) {
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      if (head.querySelector("label")) return; // which opens a dataset
      const press = button("sort", "");
      const column = head.querySelector("bdi").textContent.trim();
      press.title = head.title || _("Sort by {column}", { column });
      press.append(...[...head.childNodes].filter((node) => !node.matches?.(".bar-head")));
      head.removeAttribute("title");
      head.prepend(press);
      press.addEventListener("click", () => sort(table, at));
    });
  }

  function sort(table, at) {
    const heads = [...table.tHead.rows[0].cells];
    const head = heads[at];
    const numbers = head.classList.contains("number");
    const before = head.getAttribute("aria-sort");
    const first = numbers && head.dataset.better !== "low" ? "descending" : "ascending";
    const order = before === null ? first : before === "ascending" ? "descending" : "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    // The best by another column may be among those that are not shown.
    for (const more of table.closest(".table-block").querySelectorAll(".more-rows input")) {
      more.checked = true;
    }
    const rows = [...table.tBodies[0].rows].map((row) => [row, valueOf(row.cells[at], numbers)]);
    // Cells without a value stay at the end in both directions.
    rows.sort(([, a], [, b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (numbers ? a - b : a.localeCompare(b, undefined, { numeric: true }));
    });
    table.tBodies[0].append(...rows.map(([row]) => row));
  }

  function valueOf(cell, numbers) {
    const value = cell.dataset.v;
    if (!numbers) return value ?? cell.textContent.trim();
    if (value === undefined) return null;
    const number = Number(value);
    return Number.isNaN(number) ? null : number;
  }

  // Copying.

  function addCopies(table) {
    const row = document.createElement("div");
    row.className = "copies";
    for (const [kind, label] of [["csv", _("Copy CSV")], ["latex", _("Copy LaTeX")]]) {
      const press = button(`copy-${kind}`, label);
      press.addEventListener("click", async () => {
        copy(press, (await unpack("copies"))[table.id][kind]);
      });
      press.title = table.caption?.textContent ?? "";
      row.append(press);
    }
    // Twelve buttons have the same words: the title tells which table; what they did is said.
    row.setAttribute("aria-live", "polite");
    table.closest(".table-block").append(row);
  }

  async function copy(press, text) {
    const label = press.textContent;
    const done = await written(text);
    press.textContent = done ? _("Copied") : _("Could not copy");
    setTimeout(() => { press.textContent = label; }, 1500);
  }

  async function written(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  function prepareCode() {
    for (const code of document.querySelectorAll("pre.code")) {
      const block = document.createElement("div");
      block.className = "code-block";
      code.replaceWith(block);
      const press = button("copy-code", _("Copy"));
      press.addEventListener("click", () => copy(press, code.textContent));
      block.append(code, press);
    }
  }

  // Theme: kept where the browser lets a page keep something.

  function kept(value) {
    try {
      if (value === undefined) return localStorage.getItem("ragscore-theme");
      localStorage.setItem("ragscore-theme", value);
    } catch { /* a private window, or a file that may keep nothing */ }
    return null;
  }

  function prepareTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    document.getElementById("theme").addEventListener("click", () => {
      const now = root.dataset.theme || (dark.matches ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
      kept(root.dataset.theme);
    });
  }
  const theme = kept();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;

  function prepareContents() {
    const links = new Map();
    for (const link of document.querySelectorAll(".contents a")) {
      const target = document.getElementById(link.getAttribute("href").slice(1));
      if (target) links.set(target, link);
    }
    const seen = new Set();
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) seen[entry.isIntersecting ? "add" : "delete"](entry.target);
      const current = [...links.keys()].find((target) => seen.has(target));
      for (const [target, link] of links) {
        if (target === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }, { rootMargin: "-15% 0px -70% 0px" });
    for (const target of links.keys()) watch.observe(target);
  }

  // The trust row opens over what is below it, so it closes like a menu.

  function prepareTrust() {
    const close = (but) => {
      for (const item of document.querySelectorAll(".trust-item[open]")) {
        if (item !== but) item.open = false;
      }
    };
    document.addEventListener("click", (event) => close(event.target.closest?.(".trust-item")));
    document.addEventListener("keydown", (event) => {
      const open = event.key === "Escape" && document.querySelector(".trust-item[open]");
      if (!open) return;
      open.open = false;
      open.querySelector("summary").focus();
    });
  }

  // One retriever under the pointer is marked everywhere. Without a script :has() does it, which
  // takes the browser longer the larger the page is.

  function prepareMarks() {
    const mark = (target) => {
      const element = target?.closest?.(".panel [data-r]");
      const panel = element?.closest(".panel");
      for (const other of document.querySelectorAll(".panel[data-marked]")) {
        if (other !== panel) delete other.dataset.marked;
      }
      const retriever = element?.dataset.r;
      if (panel && panel.dataset.marked !== retriever) panel.dataset.marked = retriever;
    };
    document.addEventListener("pointerover", (event) => mark(event.target));
    root.addEventListener("pointerleave", () => mark(null));
  }

  function preparePrint() {
    let closed = [];
    addEventListener("beforeprint", () => {
      closed = [...document.querySelectorAll("details:not([open])")];
      for (const details of closed) {
        // Those of one group close each other: the group is left for the time of printing.
        details.dataset.group = details.getAttribute("name") ?? "";
        details.removeAttribute("name");
        details.open = true;
      }
    });
    addEventListener("afterprint", () => {
      for (const details of closed) {
        details.open = false;
        if (details.dataset.group) details.setAttribute("name", details.dataset.group);
        delete details.dataset.group;
      }
    });
  }

  async function prepare() {
    await readTranslations();
    prepareTables();
    prepareCode();
    prepareTheme();
    prepareContents();
    prepareTrust();
    prepareMarks();
    preparePrint();
    window.ragscorePage.prepareLinks();
    root.dataset.ready = "true";
    window.ragscorePage.follow();
  }
  // The other scripts stand behind this one: links are followed when all are there.
  document.addEventListener("DOMContentLoaded", prepare);
})();
