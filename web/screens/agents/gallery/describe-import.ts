import type { ImportReport } from '../../../../src/agents/transfer-agents.ts';

/** The report of an import as a sentence, with what is worth knowing below it. */
export function describeImport(report: ImportReport): { title: string; description: string } {
  const count = report.created.length + report.renamed.length + report.replaced.length;
  const notes = [
    ...report.renamed.map(({ from, to }) => `“${from}” was taken, it is now “${to}”`),
    ...report.skipped.map((id) => `“${id}” was there already`),
  ];
  const shown = notes.slice(0, 3);
  if (notes.length > shown.length) shown.push(`and ${notes.length - shown.length} more`);
  return {
    title: count === 0 ? 'Nothing new in this file' : `${count} ${count === 1 ? 'agent' : 'agents'} imported`,
    description: shown.join(', '),
  };
}
