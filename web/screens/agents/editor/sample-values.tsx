import type { AgentArgument } from '../../../../src/agents/agent.ts';
import { TextField } from '../../../ui/input.tsx';
import { countReferences } from './references.ts';

export interface SampleValuesProps {
  declared: readonly AgentArgument[];
  queries: readonly string[];
  samples: Readonly<Record<string, string>>;
  onChange: (name: string, value: string) => void;
}

/** Values to try the searches with; they are not saved. */
export function SampleValues({ declared, queries, samples, onChange }: SampleValuesProps) {
  const uses = countReferences(queries);
  const used = declared.filter((argument) => uses.has(argument.name));
  if (used.length === 0) return null;
  return (
    <section aria-label="Sample values" className="rounded-xl border border-line border-dashed p-3.5">
      <p className="mb-2.5 text-muted text-xs">Try it with these values. They are not saved.</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {used.map(({ name, description }) => (
          <TextField
            key={name}
            label={name}
            placeholder={description}
            autoComplete="off"
            value={samples[name] ?? ''}
            onChange={(event) => onChange(name, event.target.value)}
          />
        ))}
      </div>
    </section>
  );
}
