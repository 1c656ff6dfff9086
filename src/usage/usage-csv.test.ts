import { expect, it } from 'vitest';
import type { UsageReport, UsageSums } from './usage.ts';
import { toCsv } from './usage-csv.ts';

const sums: UsageSums = {
  calls: 2,
  errors: 1,
  inputTokens: 100,
  outputTokens: 10,
  cost: 0.25,
  unpriced: 0,
  p50Ms: 40,
  p95Ms: null,
};

function reportOf(keys: readonly string[], rest: UsageReport['rest'] = null): UsageReport {
  return {
    by: 'agent',
    stepHours: 1,
    total: sums,
    groups: keys.map((key) => ({ key, ...sums })),
    rest,
    intervals: [],
    series: [],
    unpricedModels: [],
  };
}

it('a line has its time and its group, and what was cut is named', () => {
  const csv = toCsv('agent', [
    { at: '2026-03-03T10:00:00.000Z', report: reportOf(['guide', '']) },
    { at: '2026-03-03T11:00:00.000Z', report: reportOf(['guide'], { groups: 12, ...sums }) },
  ]);
  expect(csv.split('\r\n')).toEqual([
    'time,agent,calls,errors,inputTokens,outputTokens,cost,unpriced,p50Ms,p95Ms',
    '2026-03-03T10:00:00.000Z,guide,2,1,100,10,0.25,0,40,',
    '2026-03-03T10:00:00.000Z,,2,1,100,10,0.25,0,40,',
    '2026-03-03T11:00:00.000Z,guide,2,1,100,10,0.25,0,40,',
    '2026-03-03T11:00:00.000Z,(12 more),2,1,100,10,0.25,0,40,',
    '',
  ]);
});

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  ['a=b', 'a=b'],
  ['a,"b"', '"a,""b"""'],
  ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
])('the name %j is the cell %s, which no spreadsheet runs', (key, cell) => {
  expect(toCsv('client', [{ at: 'now', report: reportOf([key]) }])).toContain(`\r\nnow,${cell},2,`);
});
