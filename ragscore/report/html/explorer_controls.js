/* The filters of the explorer: their controls, and which queries match them, in which order. */
const explorerControls = (() => {
  const { isolated, folded, make } = explorerText;

  /** The filters when none is set. */
  const nothing = () => ({
    text: "", sort: "worst", measure: 0, a: "", b: "", fails: "", tag: "", cause: "", causeOf: "",
  });

  /** Numbers of the queries that match, in order. */
  function chosen(data, filters, haystack) {
    const R = data.retrievers.length;
    const every = [...data.retrievers.keys()];
    const terms = folded(filters.text).split(/\s+/).filter(Boolean);
    const tag = data.tags.find(({ name }) => name === filters.tag);
    const cause = data.causes.indexOf(filters.cause);
    const causeOf = filters.causeOf === "" ? every : [Number(filters.causeOf)];
    const a = filters.a === "" ? -1 : Number(filters.a);
    const others = filters.b === "" ? every.filter((r) => r !== a) : [Number(filters.b)];
    const m = filters.measure;
    const better = (r, other, q) =>
      data.sign(m) * (data.value(m, r, q) - data.value(m, other, q)) > 0;
    const tests = [];
    if (terms.length) tests.push((q) => terms.every((term) => haystack(q).includes(term)));
    if (filters.tag) tests.push((q) => tag !== undefined && tag.of[q] === 1);
    if (filters.cause) {
      tests.push((q) => causeOf.some((r) => cause >= 0 && data.cause(r, q) === cause));
    }
    if (a >= 0) {
      tests.push((q) => others.every((r) => better(a, r, q)));
    } else if (filters.b !== "") {
      const b = Number(filters.b);
      tests.push((q) => every.some((r) => better(r, b, q)));
    }
    const failed = (q) => every.reduce((sum, r) => sum + data.fails(r, q), 0);
    const can = (q) => data.hasRelevant(q) && data.state(q) === "a";
    if (filters.fails === "all") tests.push((q) => failed(q) === R);
    else if (filters.fails === "some") tests.push((q) => failed(q) > 0);
    else if (filters.fails === "none") tests.push((q) => can(q) && failed(q) === 0);
    else if (filters.fails !== "") tests.push((q) => data.fails(Number(filters.fails), q));
    const found = [];
    for (let q = 0; q < data.count; q++) if (tests.every((fits) => fits(q))) found.push(q);
    return sorted(data, filters, found);
  }

  function sorted(data, filters, found) {
    if (filters.sort === "order") return found;
    if (filters.sort === "id") {
      const order = new Intl.Collator(undefined, { numeric: true });
      return found.sort((a, b) => order.compare(data.id[a], data.id[b]) || a - b);
    }
    const key = new Float64Array(data.count);
    for (const q of found) key[q] = sortKey(data, filters, q);
    return found.sort((a, b) => key[a] - key[b] || a - b);
  }

  /** Bad first; what cannot be said comes last. */
  function sortKey(data, filters, q) {
    const sign = data.sign(filters.measure);
    // Of a rank there is no value where nothing was found, which is worse than any.
    const none = sign < 0 && data.state(q) === "a" ? -1e9 : NaN;
    const values = data.retrievers.map((retriever, r) => {
      const value = data.value(filters.measure, r, q);
      return Number.isNaN(value) ? none : sign * value;
    });
    const known = values.filter((value) => !Number.isNaN(value));
    if (filters.sort === "first") {
      if (!data.hasRelevant(q)) return Infinity;
      return -data.retrievers.reduce((sum, retriever, r) => sum + (data.first(r, q) || 1e6), 0);
    }
    if (!known.length) return Infinity;
    const sum = known.reduce((total, value) => total + value, 0);
    if (filters.sort === "worst") return sum / known.length;
    const a = filters.a === "" ? Math.max(...known) : values[Number(filters.a)];
    const b = filters.b === "" ? Math.min(...known) : values[Number(filters.b)];
    return Number.isNaN(a - b) ? Infinity : b - a;
  }

  /** Whether anything but order and measure is set. */
  const hasFilters = (filters) =>
    ["text", "a", "b", "fails", "tag", "cause", "causeOf"].some((name) => filters[name] !== "");

  /** The filters that a link sets. */
  function fromLink(data, params) {
    const filters = {};
    const number = (name) => {
      const at = data.retrievers.findIndex((retriever) => retriever.name === name);
      return at < 0 ? "" : String(at);
    };
    const fail = params.get("fail");
    // A retriever may be called as one of the three is: `s` names it whatever its name.
    const of = number(params.get("s"));
    if (fail === "one") filters.fails = of !== "" ? of : number(fail);
    else if (fail !== null) {
      filters.fails = ["all", "some", "none"].includes(fail) ? fail : number(fail);
    }
    const tag = params.get("tag");
    if (tag !== null) {
      const found = data.tags.find(({ name }) => name === tag || `tags:${name}` === tag);
      if (found) filters.tag = found.name;
    }
    const cause = params.get("cause");
    if (cause !== null && data.causes.includes(cause)) {
      filters.cause = cause;
      filters.causeOf = of;
    }
    const beats = params.get("beats");
    // A name may hold a comma: the cut is where both sides are names.
    for (let at = beats?.indexOf(",") ?? -1; at >= 0; at = beats.indexOf(",", at + 1)) {
      const [a, b] = [number(beats.slice(0, at)), number(beats.slice(at + 1))];
      if (a !== "" && b !== "") Object.assign(filters, { a, b });
    }
    return filters;
  }

  /** The controls as elements; `change` is called whenever a filter changes. */
  function controls(data, change) {
    const filters = nothing();
    const fields = {};
    const names = data.retrievers.map((retriever, r) => [String(r), isolated(retriever.name)]);

    function field(className, label, ...inside) {
      return make("label", `field ${className}`, make("span", "field-label", label), ...inside);
    }

    function select(className, name, options, label) {
      const element = make("select", className);
      for (const [value, text, group] of options) {
        const option = make("option", "", text);
        option.value = value;
        let into = element;
        if (group) {
          into = [...element.children].find((child) => child.label === group);
          if (!into) {
            into = make("optgroup", "");
            into.label = group;
            element.append(into);
          }
        }
        into.append(option);
      }
      if (label) element.setAttribute("aria-label", label);
      element.addEventListener("change", () => {
        filters[name] = name === "measure" ? Number(element.value) : element.value;
        if (name === "cause" && !element.value) filters.causeOf = "";
        changed();
      });
      fields[name] = element;
      return element;
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
            ...data.causes.filter((cause) => cause !== "failed" || data.anyError)
              .map((cause) => [cause, data.causeText(cause)])], _("Cause")),
          select("cause-of", "causeOf", [["", _("any retriever")], ...names],
            _("failing retriever")))));
    }
    if (data.tags.length) {
      const group = (key) => (key === "tags" ? _("tags") : isolated(key));
      parts.push(field("", _("Tag"), select("tag", "tag", [
        ["", _("any")],
        ...data.tags.map((tag) => [tag.name, isolated(tag.value), group(tag.key)]),
      ])));
    }
    const keys = _("/ to search, j and k for next and previous, Enter to open, Esc to close");
    const status = make("div", "status", count, clear, make("span", "keys", keys));
    const element = make("div", "controls", ...parts);
    element.setAttribute("role", "search");

    /** Searches for what was typed, now. */
    function flush() {
      clearTimeout(typing);
      if (filters.text === search.value) return;
      filters.text = search.value;
      changed();
    }

    function changed() {
      clear.hidden = !hasFilters(filters);
      if (fields.causeOf) fields.causeOf.hidden = !many || filters.cause === "";
      for (const [name, control] of Object.entries(fields)) {
        control.classList.toggle("set", String(filters[name]) !== String(nothing()[name]));
      }
      change();
    }

    /** Sets these filters and clears the others; order and measure stay. */
    function set(wanted) {
      clearTimeout(typing);
      const { sort, measure } = filters;
      Object.assign(filters, nothing(), { sort, measure }, wanted);
      for (const [name, control] of Object.entries(fields)) control.value = String(filters[name]);
      changed();
    }

    return { filters, element, status, count, search, set, flush, prepare: changed };
  }

  return { chosen, controls, fromLink };
})();
