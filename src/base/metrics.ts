type Labels = Readonly<Record<string, string>>;

interface Series {
  labels: string;
  value: number;
  /** For a histogram: the number of observations in each bucket. */
  buckets?: number[];
  count?: number;
}

interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  bounds?: readonly number[];
  series: Map<string, Series>;
  read?: (() => Iterable<readonly [Labels, number]>) | undefined;
}

/** Bounds in seconds, from a call served from memory to a long model answer. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Limits the memory of labels, because their values may come from outside. */
const maxSeries = 2_000;

export interface Counter {
  add(labels: Labels, value?: number): void;
}
export interface Histogram {
  observe(labels: Labels, seconds: number): void;
}

/** The hub's metrics, in the text format of Prometheus. */
export class Metrics {
  readonly #families: Family[] = [];

  counter(name: string, help: string): Counter {
    const family = this.#add({ name, help, type: 'counter', series: new Map() });
    return {
      add(labels, value = 1) {
        const series = seriesOf(family, labels);
        if (series) series.value += value;
      },
    };
  }

  histogram(name: string, help: string): Histogram {
    const family = this.#add({ name, help, type: 'histogram', bounds: durations, series: new Map() });
    return {
      observe(labels, seconds) {
        const series = seriesOf(family, labels);
        if (!series) return;
        series.buckets ??= durations.map(() => 0);
        const first = durations.findIndex((bound) => seconds <= bound);
        if (first !== -1) series.buckets[first] = (series.buckets[first] ?? 0) + 1;
        series.count = (series.count ?? 0) + 1;
        series.value += seconds;
      },
    };
  }

  /** Calls `read` each time the metrics are requested. */
  gauge(name: string, help: string, read: () => Iterable<readonly [Labels, number]>): void {
    this.#add({ name, help, type: 'gauge', series: new Map(), read });
  }

  text(): string {
    return this.#families.map(familyText).join('');
  }

  #add(family: Family): Family {
    this.#families.push(family);
    return family;
  }
}

function seriesOf({ series }: Family, labels: Labels): Series | undefined {
  // A family always has the same labels, so their values identify the series.
  let key = '';
  for (const name in labels) key += `${labels[name]}\0`;
  const known = series.get(key);
  if (known || series.size >= maxSeries) return known;
  const created: Series = { labels: labelText(labels), value: 0 };
  series.set(key, created);
  return created;
}

function familyText({ name, help, type, bounds, series, read }: Family): string {
  const lines = read
    ? [...read()].map(([labels, value]) => line(name, labelText(labels), value))
    : [...series.values()].flatMap((each) =>
        bounds ? histogramLines(name, bounds, each) : [line(name, each.labels, each.value)],
      );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function histogramLines(name: string, bounds: readonly number[], series: Series): string[] {
  let sum = 0;
  const buckets = bounds.map((bound, index) => {
    sum += series.buckets?.[index] ?? 0;
    return line(`${name}_bucket`, withLabel(series.labels, `le="${bound}"`), sum);
  });
  const count = series.count ?? 0;
  return [
    ...buckets,
    line(`${name}_bucket`, withLabel(series.labels, 'le="+Inf"'), count),
    line(`${name}_sum`, series.labels, series.value),
    line(`${name}_count`, series.labels, count),
  ];
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
}

function withLabel(labels: string, more: string): string {
  return labels === '' ? more : `${labels},${more}`;
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => escapes[character] ?? '')}"`)
    .join(',');
}

const escapes: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
