/* What the explorer's payloads say, as flat arrays: see explorer/payload.py. */
const explorerData = (() => {
  const NO_VALUE = -1_000_000;
  const DECIMALS = 10_000;
  const THREE_DECIMALS = { minimumFractionDigits: 3, maximumFractionDigits: 3 };

  /** Where each part of a list begins, from the lengths of the parts; one more than parts. */
  function starts(lengths) {
    const at = new Int32Array(lengths.length + 1);
    for (let i = 0; i < lengths.length; i++) at[i + 1] = at[i] + lengths[i];
    return at;
  }

  /** Numbers of passages, each written as its distance below the largest before it. */
  function numbered(below) {
    const numbers = new Int32Array(below.length);
    let largest = -1;
    for (let i = 0; i < below.length; i++) {
      numbers[i] = largest - below[i];
      if (numbers[i] > largest) largest = numbers[i];
    }
    return numbers;
  }

  /** Marks at places that are written as steps. */
  function marks(steps, length) {
    const marked = new Uint8Array(length);
    let at = 0;
    for (const step of steps) marked[at += step] = 1;
    return marked;
  }

  function queries(payload) {
    const count = payload.id.length;
    const names = payload.retrievers;
    const R = names.length;
    const hitsAt = starts(payload.returned);
    const hits = numbered(payload.hits);
    const judgedAt = starts(payload.judgments);
    const relevant = marks(payload.relevant, payload.grade.length);
    const judged = Int32Array.from(payload.judgedPassage);
    const ranks = payload.ranks.map((row) => Int32Array.from(row, (rank) => Math.max(rank, 0)));
    /** Passages that a retriever does not search: chunks of another chunker. */
    const apart = payload.ranks.map((row) => Uint8Array.from(row, (rank) => rank < 0));
    const values = payload.values.map((of) => of.map((row) => Float64Array.from(row)));
    const causes = payload.cause.map((row) => Int8Array.from(row));
    const ties = payload.ties.map((steps) => marks(steps, count * payload.depth));
    const scoresAt = names.map((name, r) =>
      starts(Array.from({ length: count }, (none, q) => payload.returned[q * R + r])));
    const counts = new Uint8Array(count);
    const first = names.map(() => new Int32Array(count));
    for (let q = 0; q < count; q++) {
      for (let j = judgedAt[q]; j < judgedAt[q + 1]; j++) {
        if (!relevant[j]) continue;
        counts[q] = 1;
        for (let r = 0; r < R; r++) {
          const rank = ranks[r][j];
          if (rank && (!first[r][q] || rank < first[r][q])) first[r][q] = rank;
        }
      }
    }
    const tags = payload.tags.flatMap(({ key, values: of, queries: rows }) =>
      of.map((value, i) => ({
        key, value, name: key === "tags" ? value : `${key}:${value}`, of: marks(rows[i], count),
      })));
    const duplicates = new Map(payload.duplicates.map(([r, q, ...ids]) => [q * R + r, ids]));
    const errors = new Map(payload.errors.map(([r, q, error]) => [q * R + r, error]));
    const rowOf = new Map(payload.id.map((id, q) => [id, q]));

    /** The value of a measure, NaN where it is not defined. */
    function value(m, r, q) {
      const scaled = values[m][r][q];
      return scaled === NO_VALUE ? NaN : scaled / DECIMALS;
    }

    /** The value as the tables print it, empty where it is not defined. */
    function valueText(m, r, q) {
      const known = value(m, r, q);
      return Number.isNaN(known) ? "" : known.toLocaleString("en", THREE_DECIMALS);
    }

    /** Why a retriever fails a query. */
    function causeText(cause) {
      return {
        failed: _("did not answer"),
        cut: _("cut by the chunker"),
        nowhere: _("returned by no retriever"),
        duplicate: _("below a near-duplicate"),
        below_k: _("returned below rank {k}", { k: payload.k }),
        not_returned: _("not returned, others found it"),
      }[cause];
    }

    return {
      count, value, valueText, causeText, retrievers: names, tags, measures: payload.measures,
      primaries: payload.primaries, causes: payload.causes, anyError: errors.size > 0,
      built: payload.built, k: payload.k, depth: payload.depth, judged: payload.judged,
      graded: payload.grades > 1, id: payload.id, text: payload.text,
      row: (id) => rowOf.get(id) ?? -1,
      state: (q) => payload.state[q],
      /** Whether a relevant passage is known, and with it whether a retriever can fail. */
      hasRelevant: (q) => counts[q] === 1,
      /** Rank of the first relevant passage, 0 where none came back. */
      first: (r, q) => first[r][q],
      /** What has a cause fails; where causes are not known, what has no relevant passage in k. */
      fails: (r, q) => (causes.length ? causes[r][q] >= 0 : counts[q] === 1
        && payload.state[q] === "a" && (first[r][q] === 0 || first[r][q] > payload.k)),
      /** 1 where large values of a measure are good, -1 where small ones are. */
      sign: (m) => (payload.lower[m] ? -1 : 1),
      /** Number of the cause, -1 where there is none. */
      cause: (r, q) => (causes.length ? causes[r][q] : -1),
      /** [relevant passage, its near-duplicate above it], if that is why the query fails. */
      duplicate: (r, q) => duplicates.get(q * R + r),
      /** Why a retriever did not answer the query; undefined where it did. */
      error: (r, q) => errors.get(q * R + r),
      /** What is said of each judged passage of a query that is relevant or shown. */
      judgments(q) {
        const found = new Map();
        for (let j = judgedAt[q]; j < judgedAt[q + 1]; j++) {
          found.set(judged[j], {
            grade: payload.grade[j], relevant: relevant[j] === 1, needs: payload.needs?.[j] ?? [],
          });
        }
        return found;
      },
      /** The needs of a query that a retriever covers within so many ranks. */
      covered(r, q, depth) {
        const found = new Set();
        if (!payload.needs) return found;
        for (let j = judgedAt[q]; j < judgedAt[q + 1]; j++) {
          const rank = ranks[r][j];
          if (rank && rank <= depth) for (const need of payload.needs[j]) found.add(need);
        }
        return found;
      },
      /** The relevant passages of a query with their rank by retriever, best grade first. */
      relevant(q) {
        const found = [];
        for (let j = judgedAt[q]; j < judgedAt[q + 1]; j++) {
          if (!relevant[j]) continue;
          found.push({
            passage: judged[j], grade: payload.grade[j], ranks: ranks.map((row) => row[j]),
            needs: payload.needs?.[j] ?? [], apart: apart.map((row) => row[j] === 1),
          });
        }
        return found.sort((a, b) => b.grade - a.grade);
      },
      /** The relevant passages of a query that moved on their way through a retriever which is
       * built on others: ranks in the input that has each highest, and here; 0 where it is not. */
      moves([r, inputs, pool], q) {
        return this.relevant(q).flatMap(({ passage, ranks }) => {
          const read = inputs.map((input) => ranks[input]).filter((rank) => rank && rank <= pool);
          const before = read.length ? Math.min(...read) : 0;
          const after = ranks[r];
          if (before === after) return [];
          return [{ passage, before, after, up: after > 0 && (!before || after < before) }];
        }).sort((a, b) => (a.before || Infinity) - (b.before || Infinity) || a.after - b.after);
      },
      /** What a retriever returned, best first, to the depth that is shown. */
      ranking(r, q) {
        const from = hitsAt[q * R + r];
        const to = hitsAt[q * R + r + 1];
        return Array.from(hits.subarray(from, to), (passage, place) => ({
          passage,
          rank: place + 1,
          score: payload.scores[r] === null ? null : payload.scores[r][scoresAt[r][q] + place],
          tied: ties[r][q * payload.depth + place] === 1,
        }));
      },
    };
  }

  function passages(payload) {
    return (number) => ({
      id: payload.id[number],
      title: payload.title[number],
      text: payload.text[number],
      /** Characters of the whole text where it is cut, 0 where it is whole, -1: not known. */
      whole: payload.length[number],
    });
  }

  return { queries, passages };
})();
