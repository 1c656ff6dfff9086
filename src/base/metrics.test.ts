import { expect, it } from 'vitest';
import { Metrics } from './metrics.ts';

it('writes counters, histograms and gauges in the format of Prometheus', () => {
  const metrics = new Metrics();
  const calls = metrics.counter('zoo_calls_total', 'Calls.');
  calls.add({ tool: 'a "quoted" name\\', outcome: 'result' });
  calls.add({ tool: 'a "quoted" name\\', outcome: 'result' }, 2);
  const seconds = metrics.histogram('zoo_call_seconds', 'How long calls took.');
  seconds.observe({}, 0.004);
  seconds.observe({}, 0.3);
  seconds.observe({}, 1_000);
  metrics.gauge('zoo_agents', 'Agents.', () => [[{}, 7]]);
  const text = metrics.text();
  expect(text).toContain('# TYPE zoo_calls_total counter\n');
  expect(text).toContain('zoo_calls_total{tool="a \\"quoted\\" name\\\\",outcome="result"} 3\n');
  expect(text).toContain('zoo_call_seconds_bucket{le="0.005"} 1\n');
  expect(text).toContain('zoo_call_seconds_bucket{le="0.25"} 1\n');
  expect(text).toContain('zoo_call_seconds_bucket{le="0.5"} 2\n');
  expect(text).toContain('zoo_call_seconds_bucket{le="+Inf"} 3\n');
  expect(text).toContain('zoo_call_seconds_count 3\n');
  expect(text).toContain('zoo_agents 7\n');
});

it('an endless number of labels does not fill the memory', () => {
  const metrics = new Metrics();
  const calls = metrics.counter('zoo_calls_total', 'Calls.');
  for (let number = 0; number < 5_000; number += 1) calls.add({ tool: `made-up-${number}` });
  expect(metrics.text().match(/^zoo_calls_total\{/gm)).toHaveLength(2_000);
});
