import { Suspense, useState } from 'react';
import { fromHub, lazyPart } from '../../../api/from-hub.ts';
import { sameJson } from '../../../parts/schema-form/form-value.ts';
import { classes } from '../../../ui/classes.ts';
import { Folding } from '../../../ui/folding.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useBuilder } from './builder-context.ts';
import { changeNode, readOther, setOther } from './edit-nodes.ts';
import type { SchemaNode } from './schema-node.ts';

const JsonEditor = lazyPart(
  fromHub(() => import('./json-editor.tsx')),
  'JsonEditor',
);

/** A JSON editor for the schema keywords that have no field. */
export function OtherRules({ node, name }: { node: SchemaNode; name: string }) {
  const { editable, change, problemAt } = useBuilder();
  const [typed, setTyped] = useState<string | null>(null);
  const problem = problemAt(node.id, 'other');
  const keys = Object.keys(node.other);
  if (!editable && keys.length === 0) return null;
  const text = node.otherText ?? (typed !== null && isSame(node, typed) ? typed : otherText(node));
  return (
    <Folding
      isOpenFirst={problem !== undefined}
      summary={
        <span className="min-w-0 truncate text-xs">
          <span className={classes('font-medium', problem !== undefined && 'text-danger')}>Other rules (JSON)</span>
          <span className="ml-2 font-mono text-faint">{keys.join(', ')}</span>
        </span>
      }
    >
      <div
        className={classes(
          'rounded-xl border bg-raised shadow-card',
          problem === undefined ? 'border-line-strong' : 'border-danger',
        )}
      >
        <Suspense fallback={<Skeleton className="m-3 h-4 w-2/3" />}>
          <JsonEditor
            label={`Other rules of ${name}`}
            value={text}
            readOnly={!editable}
            isInvalid={problem !== undefined}
            placeholder='{ "anyOf": [{ "minLength": 3 }, { "const": "" }] }'
            onChange={(next) => {
              setTyped(next);
              change((root) => changeNode(root, node.id, (each) => setOther(each, next)));
            }}
          />
        </Suspense>
      </div>
      {problem === undefined ? (
        <p className="mt-1 text-muted text-xs">Add any JSON Schema 2020-12 keyword that has no field above.</p>
      ) : (
        <p role="alert" className="mt-1 break-words text-danger text-xs">
          {problem}
        </p>
      )}
    </Folding>
  );
}

/** Returns empty text without rules, so that the placeholder shows an example. */
function otherText({ other }: SchemaNode): string {
  return Object.keys(other).length === 0 ? '' : JSON.stringify(other, null, 2);
}

/** Whether the typed text still means the same, so that its formatting can stay. */
function isSame(node: SchemaNode, typed: string): boolean {
  const read = readOther(node, typed);
  return 'other' in read && sameJson(read.other, node.other);
}
