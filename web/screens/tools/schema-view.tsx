import { useMemo, useState } from 'react';
import type { JsonSchema } from '../../../src/base/json-schema/json-schema.ts';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { describeSchema, type SchemaNode } from './schema-tree.ts';

/** Shows the input and output schemas as properties or JSON. */
export function SchemaView({ tool }: { tool: ToolDetailBody }) {
  const [view, setView] = useState<'tree' | 'json'>('tree');
  return (
    <div className="flex flex-col gap-6">
      <Segmented
        label="Schema view"
        value={view}
        onChange={setView}
        className="self-start"
        options={[
          { value: 'tree', label: 'Properties' },
          { value: 'json', label: 'JSON' },
        ]}
      />
      <SchemaSection title="Input" schema={tool.inputSchema} view={view} none="No input." />
      {tool.outputSchema ? (
        <SchemaSection
          title="Output"
          schema={tool.outputSchema}
          view={view}
          none="An object without declared properties."
        />
      ) : (
        <section aria-label="Output">
          <h3 className="mb-1.5 font-semibold text-sm">Output</h3>
          <p className="text-muted text-sm">No output schema.</p>
        </section>
      )}
    </div>
  );
}

interface SchemaSectionProps {
  title: string;
  schema: JsonSchema;
  view: 'tree' | 'json';
  none: string;
}

function SchemaSection({ title, schema, view, none }: SchemaSectionProps) {
  const nodes = useMemo(() => describeSchema(schema), [schema]);
  return (
    <section aria-label={title}>
      <header className="mb-1.5 flex min-h-7 items-center gap-2">
        <h3 className="flex-1 font-semibold text-sm">{title}</h3>
        <CopyButton
          iconOnly
          label={`Copy ${title.toLowerCase()} schema`}
          text={() => JSON.stringify(schema, null, 2)}
        />
      </header>
      {view === 'json' ? (
        <JsonView value={schema} label={`${title} schema`} />
      ) : nodes.length === 0 ? (
        <p className="text-muted text-sm">{none}</p>
      ) : (
        <NodeList nodes={nodes} isTop />
      )}
    </section>
  );
}

function NodeList({ nodes, isTop = false }: { nodes: readonly SchemaNode[]; isTop?: boolean }) {
  return (
    <ul
      className={classes(
        isTop
          ? 'divide-y divide-line rounded-card border border-line bg-surface px-3.5 shadow-card'
          : 'mt-2 divide-y divide-line border-line border-l-2 pl-3.5',
      )}
    >
      {nodes.map((node) => (
        <li key={node.name} className="py-2.5">
          <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5">
            <code className="break-all font-medium font-mono text-xs">{node.name}</code>
            <span className="break-all font-mono text-info text-xs">{node.type}</span>
            {node.isRequired && <span className="text-2xs text-warn">required</span>}
          </p>
          {node.description && (
            <p className="mt-0.5 whitespace-pre-line text-pretty text-muted text-xs [overflow-wrap:anywhere]">
              <ForeignText text={node.description} hasCode />
            </p>
          )}
          {node.facts.length > 0 && (
            <p className="mt-0.5 text-faint text-xs [overflow-wrap:anywhere]">{node.facts.join(' · ')}</p>
          )}
          {node.children.length > 0 && <NodeList nodes={node.children} />}
        </li>
      ))}
    </ul>
  );
}
