/* An opened query: its values, what is missing, and a column of passages for each retriever. */
const explorerDetail = (() => {
  const { clean, readable, isolated, make, quoted, finder, marked, drawn } = explorerText;
  const ICONS = {
    relevant: "M3.6 8.4l3 3.1 5.8-6.7",
    judged: "M4.8 4.8l6.4 6.4M11.2 4.8l-6.4 6.4",
    unjudged: "M8 7.3v1.4",
  };
  const RING = "M8 1a7 7 0 1 0 0 14a7 7 0 1 0 0-14z";
  /** Ranks that are shown at once. */
  const FIRST = 10;
  /** Missing passages that are shown at once. */
  const MISSING = 4;
  /** Other rankings of a passage that are named at once. */
  const ALSO = 3;
  const LONG = 180;

  let unique = 0;

  /** The detail of a query; `choose` is called with the name of a tag that is pressed. */
  function detail({ data, passages, query, link, choose, target }) {
    const find = finder(data.text[query]);
    const judgments = data.judgments(query);
    const rankings = data.retrievers.map((retriever, r) => data.ranking(r, query));
    const places = rankings.map((hits) => new Map(hits.map((hit) => [hit.passage, hit.rank])));
    const columns = make("div", "rankings");
    const shown = new Map();

    function name(r) {
      const retriever = data.retrievers[r];
      return make("span", `retriever ${retriever.colour}`, drawn("shape", retriever.shape),
        quoted(readable(retriever.name)));
    }

    function gradeIcon(judgment) {
      const kind = !judgment ? "unjudged" : judgment.relevant ? "relevant" : "judged";
      const grade = judgment?.grade;
      const words = [{
        relevant: _("relevant"), judged: _("not relevant"), unjudged: _("unjudged"),
      }[kind]];
      if (grade !== undefined && data.graded) words.push(_("grade {grade}", { grade }));
      if (judgment?.needs.length) {
        words.push(_("covers need {needs}", { needs: judgment.needs.join(", ") }));
      }
      const text = words.join(", ");
      const icon = make("span", `grade ${kind}`, drawn("icon", RING, ICONS[kind]));
      icon.append(make("span", "out-of-sight", text));
      if (grade !== undefined && data.graded && grade > 0) icon.append(String(grade));
      icon.title = text;
      return { kind, icon };
    }

    /** Leads to a passage in the column of a retriever. */
    function leading(r, number, text) {
      const element = make("button", "also-link", text);
      element.type = "button";
      element.addEventListener("click", () => {
        const item = shown.get(`${r} ${number}`);
        if (!item) return;
        if (item.classList.contains("deep")) unfold(true);
        item.scrollIntoView({ block: "center", inline: "nearest" });
        item.focus({ preventScroll: true });
        item.classList.remove("flash");
        void item.offsetWidth;  // or the animation would not begin again
        item.classList.add("flash");
      });
      return element;
    }

    function joined(parts) {
      return parts.flatMap((part, at) => (at ? [", ", part] : [part]));
    }

    /** The first of many parts, and a button that shows the others. */
    function folded(parts) {
      if (parts.length <= ALSO) return joined(parts);
      const rest = make("span", "", ", ", ...joined(parts.slice(ALSO)));
      rest.hidden = true;
      const n = parts.length - ALSO;
      const more = make("button", "also-link also-more", _("and {n} more", { n }));
      more.type = "button";
      more.addEventListener("click", () => {
        rest.hidden = false;
        more.remove();
        rest.querySelector("button")?.focus({ preventScroll: true });
      });
      return [...joined(parts.slice(0, ALSO)), rest, more];
    }

    /** The text of a passage, a few lines of it at first. */
    function body(passage) {
      const element = make("div", "passage-body");
      if (passage.text) {
        const text = make("div", "passage-text");
        text.dir = "auto";
        text.append(marked(passage.text, find), passage.whole > 0 ? " …" : "");
        element.append(text);
      }
      const foot = make("p", "passage-foot");
      if (passage.text.length > LONG) {
        const more = make("button", "more", _("Show all"));
        more.type = "button";
        more.hidden = true;
        more.setAttribute("aria-expanded", "false");
        more.addEventListener("click", () => {
          const open = element.classList.toggle("whole");
          more.setAttribute("aria-expanded", String(open));
          more.textContent = open ? _("Show less") : _("Show all");
        });
        foot.append(more);
      }
      const total = passage.whole.toLocaleString("en");
      const n = passage.text.length.toLocaleString("en");
      if (passage.whole > 0) {
        const cut = passage.text ? _("first {n} of {total} characters", { n, total })
          : _("text ({total} characters) left out to keep the page small", { total });
        foot.append(make("span", "cut", cut));
      } else if (passage.whole === 0 && !passage.text) {
        foot.append(make("span", "cut", _("(empty passage)")));
      }
      if (foot.childNodes.length) element.append(foot);
      return element;
    }

    function heading(passage) {
      const element = make("div", "passage-name");
      if (passage.title) {
        const title = make("span", "passage-title", marked(passage.title, find));
        title.dir = "auto";
        element.append(title, " ");
      }
      element.append(quoted(passage.id, "passage-id"));
      return element;
    }

    function item(r, hit) {
      const passage = passages(hit.passage);
      const { kind, icon } = gradeIcon(judgments.get(hit.passage));
      const element = make("li", `passage ${kind}${hit.rank > FIRST ? " deep" : ""}`);
      element.dataset.grade = judgments.get(hit.passage)?.grade ?? "";
      element.dataset.rank = hit.rank;
      element.tabIndex = -1;
      const rank = make("span", "rank", String(hit.rank));
      rank.title = _("rank {rank}", { rank: hit.rank });
      const head = make("div", "passage-head", rank, icon, heading(passage));
      if (hit.score !== null) {
        const score = make("span", "score", `${hit.tied ? "= " : ""}${hit.score}`);
        score.title = hit.tied ? _("same score as the passage above; ties are ordered by id")
          : _("score {score}", { score: hit.score });
        head.append(score);
      }
      element.append(head, ...needs(r, hit), body(passage));
      const others = places.flatMap((where, other) => {
        const at = other !== r && where.get(hit.passage);
        if (!at) return [];
        const facts = { rank: at, name: isolated(data.retrievers[other].name) };
        return [leading(other, hit.passage, _("rank {rank} in {name}", facts))];
      });
      if (others.length) {
        element.append(make("p", "also", _("also"), " ", ...folded(others)));
      }
      shown.set(`${r} ${hit.passage}`, element);
      return element;
    }

    /** Which needs a passage covers, and whether those above it do so already. */
    function needs(r, hit) {
      const own = judgments.get(hit.passage)?.needs ?? [];
      if (!own.length) return [];
      const above = data.covered(r, query, hit.rank - 1);
      const facts = { needs: own.join(", ") };
      return [make("p", "also", own.every((need) => above.has(need))
        ? _("covers need {needs}, already covered above", facts)
        : _("covers need {needs}", facts))];
    }

    function ranking(r) {
      const hits = rankings[r];
      const element = make("section", `ranking${r === target ? " target" : ""}`);
      element.dataset.r = data.retrievers[r].number;
      const head = make("h3", "ranking-name", name(r));
      head.id = `explorer-ranking-${++unique}`;
      element.setAttribute("aria-labelledby", head.id);
      const list = make("ol", "passages", ...hits.map((hit) => item(r, hit)));
      const error = data.error(r, query);
      const empty = error === undefined ? _("Nothing was returned.")
        : _("This retriever did not answer the query: {error}", { error: isolated(error) });
      element.append(head, hits.length ? list : make("p", "note", empty));
      return element;
    }

    function cause(r) {
      const number = data.cause(r, query);
      if (number < 0) {
        const found = data.state(query) === "a" && data.hasRelevant(query);
        return found && !data.fails(r, query) ? [_("found in the top {k}", { k: data.k })] : ["-"];
      }
      const why = data.causeText(data.causes[number]);
      const pair = data.duplicate(r, query);
      if (!pair) return [why];
      const [second, first] = pair.map(isolated);
      return [why, make("span", "note", _("{first} is ranked above {second}", { first, second }))];
    }

    function values() {
      const head = make("tr", "");
      const labels = [
        _("Retriever"),
        ...(data.judged ? [_("First relevant")] : []),
        ...data.measures,
        ...(data.causes.length ? [_("Outcome")] : []),
      ];
      labels.forEach((label, at) => {
        const last = data.causes.length && at === labels.length - 1;
        const cell = make("th", at === 0 || last ? "text" : "number", label);
        cell.scope = "col";
        head.append(cell);
      });
      const rows = data.retrievers.map((retriever, r) => {
        const row = make("th", "", name(r));
        row.scope = "row";
        const element = make("tr", r === target ? "target" : "", row);
        element.dataset.r = retriever.number;
        if (data.judged) element.append(make("td", "", String(data.first(r, query) || "-")));
        for (let m = 0; m < data.measures.length; m++) {
          element.append(make("td", "", data.valueText(m, r, query) || "-"));
        }
        if (data.causes.length) element.append(make("td", "text", ...cause(r)));
        return element;
      });
      const table = make("table", "query-values", make("caption", "out-of-sight",
        _("Values of this query")), make("thead", "", head), make("tbody", "", ...rows));
      return make("div", "table-wrap", table);
    }

    /** What each retriever that is built on others moved up and down. */
    function moved() {
      const rows = data.built.flatMap((built) => {
        const moves = data.moves(built, query);
        if (!moves.length) return [];
        const head = make("th", "", name(built[0]));
        head.scope = "row";
        const cells = [true, false].map((up) => make("td", "text", ...folded(
          moves.filter((move) => move.up === up).map(({ passage: number, before, after }) => {
            const text = `${isolated(passages(number).id)}: ${before || "-"} → ${after || "-"}`;
            return after && after <= data.depth ? leading(built[0], number, text) : text;
          }))));
        return [make("tr", "", head, ...cells)];
      });
      if (!rows.length) return [];
      const labels = [_("Retriever"), _("Moved up"), _("Moved down")];
      const head = make("tr", "", ...labels.map((label) => {
        const cell = make("th", "text", label);
        cell.scope = "col";
        return cell;
      }));
      const table = make("table", "query-values query-moves",
        make("caption", "", _("Relevant passages that moved: best rank in an input → rank here")),
        make("thead", "", head), make("tbody", "", ...rows));
      return [make("div", "table-wrap", table)];
    }

    /** Relevant passages that are not in every column, with where they are; none whose needs others
     * cover there. */
    function missing() {
      const covered = data.retrievers.map((retriever, r) => data.covered(r, query, data.depth));
      const lost = data.relevant(query).filter(({ ranks, needs: own, apart }) =>
        ranks.some((rank, r) => !apart[r] && (!rank || rank > data.depth)
          && !(own.length && own.every((need) => covered[r].has(need)))));
      if (!lost.length) return [];
      const items = lost.map(({ passage: number, ranks, apart }, at) => {
        const passage = passages(number);
        const where = ranks.every((rank) => !rank) ? [_("no retriever returned it")]
          : joined(ranks.flatMap((rank, r) => {
            if (apart[r]) return [];
            const facts = { rank, name: isolated(data.retrievers[r].name) };
            if (!rank) return make("b", "", _("not in {name}", facts));
            const text = _("rank {rank} in {name}", facts);
            return rank > data.depth ? text : leading(r, number, text);
          }));
        const element = make("li", "lost relevant");
        element.hidden = at >= MISSING;
        element.append(
          make("div", "passage-head", gradeIcon(judgments.get(number)).icon, heading(passage)),
          make("p", "where", ...where), body(passage));
        return element;
      });
      const list = make("ul", "missing", ...items);
      const element = make("section", "missing-part",
        make("h3", "", _("Relevant passages missing from at least one ranking below")), list);
      if (items.length > MISSING) {
        const more = make("button", "more", _("Show all {n}", { n: items.length }));
        more.type = "button";
        more.addEventListener("click", () => {
          items.forEach((item) => { item.hidden = false; });
          more.remove();
          measure();
        });
        element.append(more);
      }
      return [element];
    }

    function facts() {
      const element = make("p", "query-facts");
      for (const tag of data.tags) {
        if (!tag.of[query]) continue;
        const press = make("button", "tag-button", quoted(tag.name));
        press.type = "button";
        press.addEventListener("click", () => choose(tag.name));
        element.append(press);
      }
      const here = make("a", "permalink", _("Link to this query"));
      here.href = link;
      element.append(here);
      return element;
    }

    const deepest = Math.max(0, ...rankings.map((hits) => hits.length));
    const folder = make("button", "deeper", "");
    folder.type = "button";

    function unfold(open) {
      element.classList.toggle("unfolded", open);
      folder.setAttribute("aria-expanded", String(open));
      folder.textContent = open ? _("Show the first {n} only", { n: FIRST })
        : _("Show ranks {from} to {to}", { from: FIRST + 1, to: deepest });
      measure();
    }

    /** Offers the whole text only where some lines of it are hidden. */
    function measure() {
      const found = [...element.querySelectorAll(".passage-body:not(.whole)")].map((body) => {
        const text = body.querySelector(".passage-text");
        return [body.querySelector(".more"), text && text.scrollHeight > text.clientHeight + 2];
      });
      for (const [more, hidden] of found) if (more) more.hidden = !hidden;
    }

    columns.append(...data.retrievers.map((retriever, r) => ranking(r)));
    columns.tabIndex = 0;
    columns.setAttribute("role", "group");
    columns.setAttribute("aria-label", clean(data.id[query]));
    const element = make("div", "detail-inside",
      facts(), values(), ...moved(), ...missing(), columns);
    if (deepest > FIRST) {
      element.append(folder);
      folder.addEventListener("click", () => unfold(!element.classList.contains("unfolded")));
    }
    unfold(false);
    return { element, measure };
  }

  return { detail };
})();
