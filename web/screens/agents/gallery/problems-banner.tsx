import { TriangleAlert } from 'lucide-react';
import type { SourceProblem } from '../../../../src/base/source.ts';

/** Problems that leave the other agents usable: files that did not load, duplicate ids. The app shell shows critical ones. */
export function ProblemsBanner({ problems }: { problems: readonly SourceProblem[] }) {
  const [first, ...others] = problems.filter(({ isCritical }) => !isCritical);
  if (!first) return null;
  return (
    <section
      aria-label="Problems"
      className="mb-4 flex items-start gap-2.5 rounded-card border border-warn/35 bg-warn-soft px-3.5 py-2.5 text-sm"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <div className="min-w-0 flex-1">
        <Problem problem={first} />
        {others.length > 0 && (
          <details className="mt-1.5">
            <summary className="w-fit rounded font-medium">
              {others.length === 1 ? '1 more problem' : `${others.length} more problems`}
            </summary>
            <ul className="mt-2 flex flex-col gap-2.5">
              {others.map((problem) => (
                <li key={`${problem.place} ${problem.message}`}>
                  <Problem problem={problem} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  );
}

function Problem({ problem: { place, message, agentId } }: { problem: SourceProblem }) {
  // Most messages already name both.
  const shown = [place, agentId ?? ''].filter((name) => !message.includes(name));
  return (
    <>
      <p className="whitespace-pre-wrap break-words">{message}</p>
      {shown.length > 0 && <p className="break-all font-mono text-muted text-xs">{shown.join(' · ')}</p>}
    </>
  );
}
