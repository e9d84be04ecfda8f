/* The query explorer: every query a line, which opens; see explorer_controls.js for filters. */
(() => {
  const { folded, readable, isolated, make, quoted, drawn } = explorerText;
  const page = window.ragscorePage;
  if (!page) return;
  /** Lines that are made at once. */
  const STEP = 60;
  /** Lines that are made at most so that an open query stays in sight. */
  const FAR = 5 * STEP;
  const boxes = [...document.querySelectorAll(".explorer")];
  window.ragscoreExplorer = {};

  function visible(element) {
    return element.checkVisibility ? element.checkVisibility() : element.offsetParent !== null;
  }

  function idle(work) {
    if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 300 });
    else setTimeout(work, 50);
  }

  async function start(box) {
    const panel = box.dataset.panel;
    await page.readTranslations();
    const data = explorerData.queries(await page.unpack(`explorer-${panel}`));
    const folds = new Array(data.count);
    const haystack = (q) => (folds[q] ??= folded(`${data.id[q]}\n${data.text[q]}`));

    let order = [];
    let lines = new Map();
    let opened = -1;
    let current = -1;
    let shown = 0;

    const controls = explorerControls.controls(data, refresh);
    const { filters } = controls;
    const notice = make("p", "notice");
    notice.setAttribute("role", "status");
    const list = make("ol", "query-list");
    const empty = make("div", "empty");
    const more = make("button", "more-queries");
    more.type = "button";
    more.addEventListener("click", () => grow(shown + STEP * 2));
    const names = data.retrievers.length > 6 ? "many" : "";
    list.classList.toggle("many", names !== "");
    box.replaceChildren(controls.element, controls.status, notice, legend(), list, empty, more);
    box.hidden = false;

    function legend() {
      const chips = make("span", "chips", ...data.retrievers.map((retriever) => {
        const element = make("span", `chip-name ${retriever.colour}`,
          drawn("shape", retriever.shape), quoted(readable(retriever.name)));
        element.dataset.r = retriever.number;
        element.title = readable(retriever.name);
        return element;
      }));
      return make("div", `query-legend ${names}`, make("span", "legend-label", _("Query")), chips);
    }

    function chip(r, q) {
      const retriever = data.retrievers[r];
      const name = isolated(retriever.name);
      const rank = data.first(r, q);
      const kind = !data.hasRelevant(q) ? "unknown"
        : rank === 0 ? "none" : rank <= data.k ? "hit" : "late";
      const element = make("span", `chip ${retriever.colour} ${kind}`,
        drawn("shape", retriever.shape));
      element.dataset.r = retriever.number;
      const number = data.valueText(filters.measure, r, q);
      element.append(
        make("span", "out-of-sight", `${name}: `),
        make("span", "chip-rank", kind === "unknown" ? "·" : rank === 0 ? "-" : String(rank)),
        make("span", "chip-value", number));
      const title = kind === "unknown" ? _("{name}: no relevant passage is known", { name })
        : rank === 0 ? _("{name}: no relevant passage returned", { name })
          : _("{name}: first relevant passage at rank {rank}", { name, rank });
      element.title = number ? `${title} · ${data.measures[filters.measure]} ${number}` : title;
      return element;
    }

    function chips(q) {
      return make("span", "chips", ...data.retrievers.map((retriever, r) => chip(r, q)));
    }

    function line(q) {
      const press = make("button", "query-line",
        quoted(data.id[q], "query-id"),
        data.text[q] ? quoted(data.text[q], "query-text")
          : make("span", "query-text unknown", _("(text not available)")));
      press.type = "button";
      press.setAttribute("aria-expanded", "false");
      if (data.state(q) !== "a") {
        const unanswerable = data.state(q) === "u";
        const badge = make("span", "badge", unanswerable ? _("unanswerable") : _("not averaged"));
        if (unanswerable) {
          badge.title = _("marked as having no answer in the corpus, so left out of the averages");
        }
        press.append(badge);
      }
      press.append(chips(q));
      press.addEventListener("click", () => toggle(q));
      press.addEventListener("focus", () => { current = q; });
      const element = make("li", "query-row", press);
      element.dataset.query = data.id[q];
      return element;
    }

    /** Makes lines until there are as many. */
    function grow(count) {
      const until = Math.min(count, order.length);
      const fragment = document.createDocumentFragment();
      for (; shown < until; shown++) {
        const q = order[shown];
        const row = lines.get(q) ?? line(q);
        lines.set(q, row);
        fragment.append(row);
      }
      list.append(fragment);
      const left = order.length - shown;
      more.hidden = left === 0;
      more.textContent = _("Show {n} more", { n: Math.min(left, STEP * 2).toLocaleString("en") });
    }

    /** Lists the queries that match; an open one stays open where it is still listed. */
    function refresh() {
      const row = lines.get(opened);
      const focused = list.contains(document.activeElement) ? current : -1;
      order = explorerControls.chosen(data, filters, haystack);
      lines = new Map();
      shown = 0;
      if (opened >= 0 && !order.includes(opened)) {
        opened = -1;
        page.address([]);
      } else if (opened >= 0) {
        lines.set(opened, row);
        row.querySelector(".chips").replaceWith(chips(opened));
      }
      current = order.includes(current) ? current : -1;
      list.replaceChildren();
      controls.count.textContent = _("{n} of {total} queries", {
        n: order.length.toLocaleString("en"), total: data.count.toLocaleString("en"),
      });
      empty.hidden = order.length > 0;
      empty.replaceChildren(make("p", "", _("No query matches these filters.")), again());
      const at = order.indexOf(opened);
      // Further down it waits, still open, until the list has grown so long.
      grow(at < FAR ? Math.max(STEP, at + 1) : STEP);
      notice.textContent = "";
      lines.get(focused)?.querySelector(".query-line").focus({ preventScroll: true });
    }

    function again() {
      const press = make("button", "clear", _("Clear filters"));
      press.type = "button";
      press.addEventListener("click", () => { controls.set({}); controls.search.focus(); });
      return press;
    }

    function linkTo(q) {
      const parts = boxes.length > 1 ? [`d=${panel}`] : [];
      try {
        parts.push(`q=${encodeURIComponent(data.id[q])}`);
      } catch { return "#"; }
      return `#${parts.join("&")}`;
    }

    function toggle(q) {
      if (opened === q) close();
      else open(q);
    }

    function close() {
      if (opened < 0) return;
      const row = lines.get(opened);
      opened = -1;
      row?.classList.remove("open");
      row?.querySelector(".query-line").setAttribute("aria-expanded", "false");
      row?.querySelector(".query-detail")?.remove();
      page.address([]);
    }

    /** Opens a line that is there; the line stays where it is on the screen. */
    async function open(q, target = -1) {
      const row = lines.get(q);
      const press = row.querySelector(".query-line");
      const before = press.getBoundingClientRect().top;
      close();
      opened = q;
      current = q;
      const inside = make("div", "query-detail");
      inside.id = `explorer-${panel}-detail`;
      row.append(inside);
      row.classList.add("open");
      press.setAttribute("aria-expanded", "true");
      press.setAttribute("aria-controls", inside.id);
      scrollBy(0, press.getBoundingClientRect().top - before);
      const named = target < 0 ? [] : [["s", data.retrievers[target].name]];
      page.address([["q", data.id[q]], ...named]);
      const waiting = make("p", "note", _("Loading the passages …"));
      inside.append(waiting);
      const passages = explorerData.passages(await page.unpack(`passages-${panel}`));
      if (!inside.isConnected) return;
      const detail = explorerDetail.detail({
        data, passages, query: q, link: linkTo(q), target,
        choose: (tag) => { controls.set({ tag }); toTop(); },
      });
      inside.replaceChildren(detail.element);
      detail.measure();
      const column = detail.element.querySelector(".ranking.target");
      if (column) column.parentElement.scrollLeft = column.offsetLeft - column.parentElement.offsetLeft;
    }

    function toTop() {
      (box.closest("section") ?? box).scrollIntoView({ block: "start" });
    }

    /** Follows a link: `q` and `s`, or filters. */
    async function follow(params) {
      notice.textContent = "";
      const id = params.get("q");
      if (id === null) {
        controls.set(explorerControls.fromLink(data, params));
        toTop();
        return;
      }
      const q = data.row(id);
      if (q < 0) {
        notice.textContent = _("No query here has the id {id}.", { id: isolated(id) });
        toTop();
        return;
      }
      if (!order.includes(q)) controls.set({});
      if (order.indexOf(q) >= shown) grow(order.indexOf(q) + 10);
      const target = data.retrievers.findIndex((retriever) => retriever.name === params.get("s"));
      const done = open(q, target);
      lines.get(q).scrollIntoView({ block: "start" });
      await done;
      lines.get(q)?.scrollIntoView({ block: "start" });
    }

    function step(by) {
      if (!order.length) return;
      const at = current < 0 ? -1 : order.indexOf(current);
      const next = Math.min(Math.max(at + by, 0), order.length - 1);
      if (next >= shown) grow(next + STEP);
      const press = lines.get(order[next]).querySelector(".query-line");
      press.focus({ preventScroll: true });
      press.scrollIntoView({ block: "nearest" });
    }

    document.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!visible(box)) return;
      // What ends the composing of a Korean syllable is no key of ours.
      if (event.isComposing) return;
      if (event.target === controls.search && ["Escape", "Enter"].includes(event.key)) {
        // Some browsers would empty the field, and redraw the list a moment later.
        event.preventDefault();
        controls.flush();
        if (event.key === "Escape") controls.search.blur();
        return;
      }
      if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
      if (event.key === "/") {
        event.preventDefault();
        controls.search.focus();
        controls.search.select();
      } else if (event.key === "j" || event.key === "k") {
        event.preventDefault();
        step(event.key === "j" ? 1 : -1);
      } else if (event.key === "Escape" && opened >= 0) {
        const press = lines.get(opened).querySelector(".query-line");
        close();
        press.focus({ preventScroll: true });
        press.scrollIntoView({ block: "nearest" });
      }
    });

    // What is primary on the page is what counts here too.
    const pick = document.getElementById(`d${panel}-measure`);
    const follows = () => {
      const m = data.measures.indexOf(data.primaries[pick.selectedIndex]);
      if (m < 0) return;
      controls.set({ ...filters, measure: m });
    };
    pick?.addEventListener("change", follows);
    if (pick && pick.selectedIndex > 0) follows();
    else controls.prepare();
    box.dataset.ready = "true";
    return { follow, has: (id) => data.row(id) >= 0 };
  }

  for (const box of boxes) {
    let started = null;
    const begin = () => {
      started ??= start(box).catch((error) => {
        box.hidden = false;
        box.replaceChildren(make("p", "warning", String(error)));
        throw error;
      });
      return started;
    };
    window.ragscoreExplorer[box.dataset.panel] = {
      async open(params) {
        await (await begin()).follow(params);
      },
      /** Whether there is a query with this id. */
      async has(id) {
        return (await begin()).has(id);
      },
    };
    idle(begin);
  }
})();
