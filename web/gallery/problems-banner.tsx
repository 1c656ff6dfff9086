import { ChevronRight, TriangleAlert } from 'lucide-react';
import type { SourceProblem } from '../../src/base/source.ts';

/** A failing disk, files that did not load, ids that are there twice. The rest of the zoo goes on. */
export function ProblemsBanner({ problems }: { problems: readonly SourceProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <details
      className="group mb-4 rounded-card border border-warn/35 bg-warn-soft text-sm"
      open={problems.length === 1}
    >
      <summary className="flex cursor-pointer list-none items-center gap-2.5 rounded-card px-3.5 py-2.5 [&::-webkit-details-marker]:hidden">
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-warn" />
        <span className="flex-1 font-medium">
          {problems.length === 1
            ? 'One problem needs your attention'
            : `${problems.length} problems need your attention`}
        </span>
        <ChevronRight aria-hidden className="size-4 text-warn transition-transform group-open:rotate-90" />
      </summary>
      <ul className="flex flex-col gap-2.5 px-3.5 pb-3.5 pl-10">
        {problems.map((problem) => (
          <li key={`${problem.place} ${problem.message}`}>
            <p className="break-all font-mono text-muted text-xs">
              {problem.place}
              {problem.agentId && ` · ${problem.agentId}`}
            </p>
            <p className="whitespace-pre-wrap break-words">{problem.message}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
