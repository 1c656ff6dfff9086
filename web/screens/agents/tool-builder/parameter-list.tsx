import { Plus, X } from 'lucide-react';
import { memo, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Input } from '../../../ui/input.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { useBuilder } from './builder-context.ts';
import * as nodes from './edit-nodes.ts';
import { KeywordFields } from './keyword-fields.tsx';
import { summaryOf } from './keyword-table.ts';
import { DescriptionInput, DetailsButton, TypeSelect } from './node-fields.tsx';
import { OtherRules } from './other-rules.tsx';
import { ParameterMenu } from './parameter-menu.tsx';
import type { PropertyNode, SchemaNode } from './schema-node.ts';
import { SortableList, SortableRow } from './sortable-list.tsx';

/** The properties of an object. `name` is the object's name, or undefined for the tool's parameters. */
export function ParameterList({ parent, name }: { parent: SchemaNode; name?: string }) {
  const { editable, change } = useBuilder();
  const { properties = [] } = parent.keywords;
  const list = useRef<HTMLDivElement>(null);
  const added = useRef<string | null>(null);
  useEffect(() => {
    if (added.current === null) return;
    const input = list.current?.querySelector<HTMLInputElement>(`[data-node="${added.current}"] input`);
    added.current = null;
    input?.focus();
    input?.select();
  });
  const add = () => {
    const node = nodes.newNode('string');
    added.current = node.id;
    change((root) => nodes.changeNode(root, parent.id, (each) => nodes.addProperty(each, node)));
  };
  return (
    <div ref={list} className="flex flex-col gap-2">
      {properties.length > 0 && (
        <SortableList
          what="parameter"
          rows={properties.map((property) => ({ id: property.node.id, name: property.name }))}
          onMove={(id, over) => change((root) => nodes.moveProperty(root, id, over))}
        >
          <ul className="flex flex-col gap-2">
            {properties.map((property) => (
              <ParameterRow
                key={property.node.id}
                property={property}
                isRequired={nodes.isRequired(parent, property.node.id)}
              />
            ))}
          </ul>
        </SortableList>
      )}
      {editable ? (
        <Button
          size="sm"
          icon={<Plus aria-hidden />}
          aria-label={name === undefined ? 'Add parameter' : `Add property to ${name}`}
          onClick={add}
          className="self-start"
        >
          {name === undefined ? 'Add parameter' : 'Add property'}
        </Button>
      ) : (
        properties.length === 0 && <p className="text-faint text-xs">None.</p>
      )}
    </div>
  );
}

interface ParameterRowProps {
  property: PropertyNode;
  isRequired: boolean;
}

const ParameterRow = memo(function ParameterRow({ property, isRequired }: ParameterRowProps) {
  const { editable, change, problemAt, onNaming, onNamed } = useBuilder();
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { name, node } = property;
  const label = name || 'unnamed parameter';
  const error = problemAt(node.id, 'name');
  return (
    <SortableRow
      id={node.id}
      label={label}
      editable={editable}
      className={classes('rounded-xl border bg-raised p-2 shadow-card', error ? 'border-danger' : 'border-line')}
    >
      {(handle) => (
        <div data-node={node.id} className="flex flex-col gap-1.5">
          <div className="flex flex-wrap items-center gap-x-1.5 gap-y-2">
            <div className="flex min-w-0 flex-1 basis-40 items-center gap-1">
              {handle}
              <Input
                aria-label={`Name of ${label}`}
                aria-invalid={error ? true : undefined}
                aria-describedby={error ? `${id}-error` : undefined}
                value={name}
                readOnly={!editable}
                spellCheck={false}
                autoCapitalize="off"
                autoComplete="off"
                onFocus={() => onNaming(node.id)}
                onBlur={(event) => onNamed(node.id, event.target.value)}
                onChange={(event) => {
                  const next = event.target.value;
                  change((root) => nodes.renameProperty(root, node.id, next));
                }}
                className="font-mono"
              />
            </div>
            <div className="flex min-w-0 items-center gap-1.5 max-sm:w-full max-sm:gap-1">
              <TypeSelect node={node} name={label} />
              <label htmlFor={`${id}-required`} className="flex shrink-0 items-center gap-1.5 px-1 text-xs">
                <Checkbox
                  id={`${id}-required`}
                  aria-label={`Require ${label}`}
                  checked={isRequired}
                  disabled={!editable}
                  onChange={(event) => {
                    const required = event.target.checked;
                    change((root) => nodes.setRequired(root, node.id, required));
                  }}
                />
                <span aria-hidden>Required</span>
              </label>
              <DetailsButton node={node} name={label} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
              {editable && <ParameterMenu property={property} label={label} />}
            </div>
          </div>
          {error && (
            <p id={`${id}-error`} role="alert" className="px-1 text-danger text-xs">
              {error}
            </p>
          )}
          <DescriptionInput node={node} name={label} />
          <NodeBody node={node} name={label} isOpen={isOpen} />
        </div>
      )}
    </SortableRow>
  );
});

/** The keywords of a node, and its children: an object's properties or a list's items. */
function NodeBody({ node, name, isOpen }: { node: SchemaNode; name: string; isOpen: boolean }) {
  const { problemAt } = useBuilder();
  const summary = isOpen ? '' : summaryOf(node);
  const hasProblem = problemAt(node.id, 'other') !== undefined && node.keywords.type !== 'other';
  const { additionalProperties: others } = node.keywords;
  return (
    <>
      {summary && <p className="break-words px-1 text-faint text-xs">{summary}</p>}
      {hasProblem && !isOpen && (
        <p role="alert" className="px-1 text-danger text-xs">
          Other rules: {problemAt(node.id, 'other')}
        </p>
      )}
      {isOpen && (
        <div className="rounded-lg bg-sunken/60 p-3">
          <KeywordFields node={node} name={name} />
          {node.keywords.type !== 'other' && (
            <div className="mt-2">
              <OtherRules node={node} name={name} />
            </div>
          )}
        </div>
      )}
      {node.keywords.type === 'other' && <OtherRules node={node} name={name} />}
      {node.keywords.type === 'object' && (
        <Inset>
          <ParameterList parent={node} name={name} />
        </Inset>
      )}
      {typeof others === 'object' && (
        <Inset>
          <InnerSchema node={others} label="Other properties" name={`other properties of ${name}`} />
        </Inset>
      )}
      {node.keywords.type === 'array' && (
        <Inset>
          <ItemsEditor node={node} name={name} />
        </Inset>
      )}
    </>
  );
}

function Inset({ children }: { children: ReactNode }) {
  return <div className="ml-1 border-line border-l-2 pl-3 max-sm:pl-2">{children}</div>;
}

/** A schema without a name: a list's items, or an object's other properties. */
function InnerSchema({ node, label, name, end }: { node: SchemaNode; label: string; name: string; end?: ReactNode }) {
  const { problemAt } = useBuilder();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-1.5">
        <span className="min-w-16 text-muted text-xs">{label}</span>
        <TypeSelect node={node} name={name} />
        <DetailsButton node={node} name={name} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
        {end}
      </div>
      {problemAt(node.id, '') && (
        <p role="alert" className="text-danger text-xs">
          {problemAt(node.id, '')}
        </p>
      )}
      <DescriptionInput node={node} name={name} />
      <NodeBody node={node} name={name} isOpen={isOpen} />
    </div>
  );
}

function ItemsEditor({ node, name }: { node: SchemaNode; name: string }) {
  const { editable, change } = useBuilder();
  const { items, prefixItems } = node.keywords;
  const set = (next: { items?: SchemaNode | undefined; prefixItems?: SchemaNode[] | undefined }) =>
    change((root) =>
      nodes.changeNode(root, node.id, (each) =>
        nodes.setKeyword(nodes.setKeyword(each, 'items', next.items), 'prefixItems', next.prefixItems),
      ),
    );
  if (!items && !prefixItems) {
    if (!editable || 'prefixItems' in node.other) return null;
    return (
      <Button size="sm" icon={<Plus aria-hidden />} onClick={() => set({ items: nodes.newNode('string') })}>
        Define items
      </Button>
    );
  }
  return (
    <div className="flex flex-col gap-2.5">
      {editable && (
        <Segmented
          label={`Items of ${name}`}
          value={prefixItems ? 'positions' : 'all'}
          options={[
            { value: 'all', label: 'Same for all items' },
            { value: 'positions', label: 'By position' },
          ]}
          onChange={(next) => {
            if (next === 'positions' && items) set({ prefixItems: [items] });
            else if (next === 'all' && prefixItems) {
              set({ items: prefixItems[0] ?? nodes.newNode('string') });
              if (prefixItems.length < 2 && !items) return;
              const undo = () => set({ items, prefixItems });
              showToast(`All items of ${name} now follow the first one`, { action: { label: 'Undo', onClick: undo } });
            }
          }}
          className="self-start"
        />
      )}
      {prefixItems && <Positions nodes={prefixItems} name={name} set={(next) => set({ items, prefixItems: next })} />}
      {items && (
        <InnerSchema
          node={items}
          label={prefixItems ? 'Other items' : 'Each item'}
          name={prefixItems ? `other items of ${name}` : `items of ${name}`}
        />
      )}
    </div>
  );
}

interface PositionsProps {
  nodes: SchemaNode[];
  name: string;
  set: (nodes: SchemaNode[]) => void;
}

/** A list whose items have a schema for each position. */
function Positions({ nodes: list, name, set }: PositionsProps) {
  const { editable } = useBuilder();
  return (
    <>
      {list.map((item, index) => (
        <InnerSchema
          key={item.id}
          node={item}
          label={`Item ${index + 1}`}
          name={`item ${index + 1} of ${name}`}
          end={
            editable &&
            list.length > 1 && (
              <IconButton
                size="sm"
                label={`Remove item ${index + 1} of ${name}`}
                icon={<X aria-hidden />}
                onClick={() => set(list.toSpliced(index, 1))}
              />
            )
          }
        />
      ))}
      {editable && (
        <Button
          size="sm"
          icon={<Plus aria-hidden />}
          onClick={() => set([...list, nodes.newNode('string')])}
          className="self-start"
        >
          Add item
        </Button>
      )}
    </>
  );
}
