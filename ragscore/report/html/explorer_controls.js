/* What the explorer is asked: the state of its controls, and which queries fit, in which order. */
const explorerControls = (() => {
  const { isolated, folded, make } = explorerText;

  /** What is asked when nothing is asked. */
  const nothing = () => ({
    text: "", sort: "worst", measure: 0, a: "", b: "", fails: "", tag: "", cause: "", causeOf: "",
  });

  /** Numbers of the queries that fit, in order. */
  function chosen(data, asked, haystack) {
    const R = data.retrievers.length;
    const every = [...data.retrievers.keys()];
    const terms = folded(asked.text).split(/\s+/).filter(Boolean);
    const tag = data.tags.find((one) => one.name === asked.tag);
    const cause = data.causes.indexOf(asked.cause);
    const causeOf = asked.causeOf === "" ? every : [Number(asked.causeOf)];
    const a = asked.a === "" ? -1 : Number(asked.a);
    const others = asked.b === "" ? every.filter((r) => r !== a) : [Number(asked.b)];
    const m = asked.measure;
    const better = (r, other, q) =>
      data.sign(m) * (data.value(m, r, q) - data.value(m, other, q)) > 0;
    const tests = [];
    if (terms.length) tests.push((q) => terms.every((term) => haystack(q).includes(term)));
    if (asked.tag) tests.push((q) => tag !== undefined && tag.of[q] === 1);
    if (asked.cause) tests.push((q) => causeOf.some((r) => cause >= 0 && data.cause(r, q) === cause));
    if (a >= 0) {
      tests.push((q) => others.every((r) => better(a, r, q)));
    } else if (asked.b !== "") {
      const b = Number(asked.b);
      tests.push((q) => every.some((r) => better(r, b, q)));
    }
    const failed = (q) => every.reduce((sum, r) => sum + data.fails(r, q), 0);
    const can = (q) => data.hasRelevant(q) && data.state(q) === "a";
    if (asked.fails === "all") tests.push((q) => failed(q) === R);
    else if (asked.fails === "some") tests.push((q) => failed(q) > 0);
    else if (asked.fails === "none") tests.push((q) => can(q) && failed(q) === 0);
    else if (asked.fails !== "") tests.push((q) => data.fails(Number(asked.fails), q));
    const found = [];
    for (let q = 0; q < data.count; q++) if (tests.every((fits) => fits(q))) found.push(q);
    return sorted(data, asked, found);
  }

  function sorted(data, asked, found) {
    if (asked.sort === "order") return found;
    if (asked.sort === "id") {
      const order = new Intl.Collator(undefined, { numeric: true });
      return found.sort((a, b) => order.compare(data.id[a], data.id[b]) || a - b);
    }
    const key = new Float64Array(data.count);
    for (const q of found) key[q] = sortKey(data, asked, q);
    return found.sort((a, b) => key[a] - key[b] || a - b);
  }

  /** Bad first; what cannot be said comes last. */
  function sortKey(data, asked, q) {
    const sign = data.sign(asked.measure);
    // Of a rank there is no value where nothing was found, which is worse than any.
    const none = sign < 0 && data.state(q) === "a" ? -1e9 : NaN;
    const values = data.retrievers.map((retriever, r) => {
      const value = data.value(asked.measure, r, q);
      return Number.isNaN(value) ? none : sign * value;
    });
    const known = values.filter((value) => !Number.isNaN(value));
    if (asked.sort === "first") {
      if (!data.hasRelevant(q)) return Infinity;
      return -data.retrievers.reduce((sum, retriever, r) => sum + (data.first(r, q) || 1e6), 0);
    }
    if (!known.length) return Infinity;
    if (asked.sort === "worst") return known.reduce((sum, value) => sum + value, 0) / known.length;
    const a = asked.a === "" ? Math.max(...known) : values[Number(asked.a)];
    const b = asked.b === "" ? Math.min(...known) : values[Number(asked.b)];
    return Number.isNaN(a - b) ? Infinity : b - a;
  }

  /** Whether anything but the order is asked. */
  const filters = (asked) =>
    ["text", "a", "b", "fails", "tag", "cause", "causeOf"].some((name) => asked[name] !== "");

  /** What the part of a link asks for. */
  function fromLink(data, params) {
    const asked = {};
    const number = (name) => {
      const at = data.retrievers.findIndex((one) => one.name === name);
      return at < 0 ? "" : String(at);
    };
    const fail = params.get("fail");
    // A retriever may be called as one of the three is: `s` names it whatever its name.
    const of = number(params.get("s"));
    if (fail === "one") asked.fails = of !== "" ? of : number(fail);
    else if (fail !== null) {
      asked.fails = ["all", "some", "none"].includes(fail) ? fail : number(fail);
    }
    const tag = params.get("tag");
    if (tag !== null) {
      const found = data.tags.find((one) => one.name === tag || `tags:${one.name}` === tag);
      if (found) asked.tag = found.name;
    }
    const cause = params.get("cause");
    if (cause !== null && data.causes.includes(cause)) {
      asked.cause = cause;
      asked.causeOf = of;
    }
    const beats = params.get("beats");
    // A name may hold a comma: the cut is where both sides are names.
    for (let at = beats?.indexOf(",") ?? -1; at >= 0; at = beats.indexOf(",", at + 1)) {
      const [a, b] = [number(beats.slice(0, at)), number(beats.slice(at + 1))];
      if (a !== "" && b !== "") Object.assign(asked, { a, b });
    }
    return asked;
  }

  /** The controls as elements; `change` is called with what is asked whenever it changes. */
  function controls(data, change) {
    const asked = nothing();
    const fields = {};
    const names = data.retrievers.map((one, r) => [String(r), isolated(one.name)]);

    function field(className, label, ...inside) {
      return make("label", `field ${className}`, make("span", "field-label", label), ...inside);
    }

    function select(className, name, options, label) {
      const made = make("select", className);
      for (const [value, text, group] of options) {
        const option = make("option", "", text);
        option.value = value;
        let into = made;
        if (group) {
          into = [...made.children].find((one) => one.label === group);
          if (!into) {
            into = make("optgroup", "");
            into.label = group;
            made.append(into);
          }
        }
        into.append(option);
      }
      if (label) made.setAttribute("aria-label", label);
      made.addEventListener("change", () => {
        asked[name] = name === "measure" ? Number(made.value) : made.value;
        if (name === "cause" && !made.value) asked.causeOf = "";
        changed();
      });
      fields[name] = made;
      return made;
    }

    const search = make("input", "search");
    search.type = "search";
    search.placeholder = _("words or id");
    search.spellcheck = false;
    search.autocomplete = "off";
    let typing = 0;
    search.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(flush, 120);
    });
    search.addEventListener("change", flush);
    fields.text = search;

    const count = make("output", "count");
    count.setAttribute("aria-live", "polite");
    const clear = make("button", "clear", _("Clear filters"));
    clear.type = "button";
    clear.addEventListener("click", () => set({}));

    const many = names.length > 1;
    const sorts = [
      ["worst", _("worst value first")],
      ...(many ? [["difference", _("largest difference first")]] : []),
      ...(data.judged ? [["first", _("rank of the first relevant passage, worst first")]] : []),
      ["order", _("dataset order")],
      ["id", _("id")],
    ];
    const measures = data.measures.map((label, m) => [String(m), label]);
    const parts = [field("wide", _("Search"), search)];
    if (measures.length > 1) {
      parts.push(field("", _("Measure"), select("measure", "measure", measures)));
    }
    parts.push(field("", _("Sort"), select("sort", "sort", sorts)));
    if (many) {
      parts.push(make("div", "field beats", make("span", "field-label", _("Where")),
        make("span", "pair",
          select("beats-a", "a", [["", _("any")], ...names], _("the better retriever")),
          make("span", "between", _("beats")),
          select("beats-b", "b", [["", _("all others")], ...names], _("the worse retriever")))));
    }
    if (data.judged) {
      parts.push(field("", _("Fails in the top {k}", { k: data.k }), select("fails", "fails", [
        ["", _("all queries")],
        ...(many ? [["all", _("all retrievers fail")], ["some", _("some retriever fails")]] : []),
        ["none", _("no retriever fails")],
        ...names.map(([value, name]) => [value, _("{name} fails", { name })]),
      ])));
    }
    if (data.causes.length) {
      parts.push(make("div", "field", make("span", "field-label", _("Cause")),
        make("span", "pair",
          select("cause", "cause", [["", _("any")],
            ...data.causes.filter((one) => one !== "failed" || data.anyError)
              .map((one) => [one, data.causeText(one)])], _("Cause")),
          select("cause-of", "causeOf", [["", _("any retriever")], ...names],
            _("failing retriever")))));
    }
    if (data.tags.length) {
      const group = (key) => (key === "tags" ? _("tags") : isolated(key));
      parts.push(field("", _("Tag"), select("tag", "tag", [
        ["", _("any")],
        ...data.tags.map((one) => [one.name, isolated(one.value), group(one.key)]),
      ])));
    }
    const status = make("div", "status", count, clear,
      make("span", "keys", _("/ to search, j and k for next and previous, Enter to open, Esc to close")));
    const element = make("div", "controls", ...parts);
    element.setAttribute("role", "search");

    /** Searches for what was typed, now. */
    function flush() {
      clearTimeout(typing);
      if (asked.text === search.value) return;
      asked.text = search.value;
      changed();
    }

    function changed() {
      clear.hidden = !filters(asked);
      if (fields.causeOf) fields.causeOf.hidden = !many || asked.cause === "";
      for (const [name, one] of Object.entries(fields)) {
        one.classList.toggle("set", String(asked[name]) !== String(nothing()[name]));
      }
      change();
    }

    /** Ask for this and nothing else; the order and the measure stay. */
    function set(wanted) {
      clearTimeout(typing);
      const { sort, measure } = asked;
      Object.assign(asked, nothing(), { sort, measure }, wanted);
      for (const [name, one] of Object.entries(fields)) one.value = String(asked[name]);
      changed();
    }

    return { asked, element, status, count, search, set, flush, prepare: changed };
  }

  return { chosen, controls, fromLink };
})();
