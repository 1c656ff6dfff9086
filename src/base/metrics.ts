type Labels = Readonly<Record<string, string>>;

interface Series {
  labels: string;
  value: number;
  /** Of a histogram: how many observations were at most each bound. */
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

/** Seconds: from a call answered from memory to a long model answer. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** A label whose values somebody outside chooses must not fill the memory. */
const maxSeries = 2_000;

export interface Counter {
  add(labels: Labels, value?: number): void;
}
export interface Histogram {
  observe(labels: Labels, seconds: number): void;
}

/** What the hub counts, in the text form that Prometheus reads. */
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

  /** Read when it is asked for. */
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
  // A family has the same labels each time, so their values tell the series; the text for it is made once.
  let key = '';
  for (const name in labels) key += `${labels[name]}\0`;
  const found = series.get(key);
  if (found || series.size >= maxSeries) return found;
  const made: Series = { labels: labelText(labels), value: 0 };
  series.set(key, made);
  return made;
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
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (found) => escapes[found] ?? '')}"`)
    .join(',');
}

const escapes: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
