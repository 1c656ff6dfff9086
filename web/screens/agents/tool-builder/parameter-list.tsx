import { CopyPlus, Ellipsis, Plus, Trash2 } from 'lucide-react';
import { memo, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Input } from '../../../ui/input.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { useBuilder } from './builder-context.ts';
import { DetailsButton } from './details-button.tsx';
import * as nodes from './edit-nodes.ts';
import { DescriptionInput, NodeBody, TypeSelect } from './node-parts.tsx';
import type { PropertyNode, SchemaNode } from './schema-node.ts';
import { SortableList, SortableRow } from './sortable-list.tsx';

/** The properties of an object, one below the other. `name`: of the object; none for the tool's own parameters. */
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
          aria-label={name === undefined ? 'Add a parameter' : `Add a property to ${name}`}
          onClick={add}
          className="self-start"
        >
          {name === undefined ? 'Parameter' : 'Property'}
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
  const label = name || 'the parameter without a name';
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
                  aria-label={`${label} is required`}
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

function ParameterMenu({ property, label }: { property: PropertyNode; label: string }) {
  const { change } = useBuilder();
  const { node } = property;
  const remove = () => {
    let before: SchemaNode | undefined;
    change((root) => {
      before = nodes.parentOf(root, node.id);
      return nodes.removeProperty(root, node.id);
    });
    // What else was changed meanwhile stays: only this one comes back, to where it was.
    const undo = () => change((root) => putBack(root, before, property));
    showToast(`Parameter ${label} removed`, { action: { label: 'Undo', onClick: undo } });
  };
  return (
    <Menu trigger={<IconButton size="sm" label={`More for ${label}`} icon={<Ellipsis aria-hidden />} />}>
      <MenuItem
        icon={<CopyPlus aria-hidden />}
        onClick={() => change((root) => nodes.duplicateProperty(root, node.id))}
      >
        Duplicate
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 aria-hidden />} onClick={remove}>
        Remove
      </MenuItem>
    </Menu>
  );
}

function putBack(root: SchemaNode, before: SchemaNode | undefined, property: PropertyNode): SchemaNode {
  if (!before) return root;
  const { id } = property.node;
  const index = before.keywords.properties?.findIndex(({ node }) => node.id === id) ?? 0;
  const next = nodes.changeNode(root, before.id, (parent) => {
    const now = parent.keywords.properties ?? [];
    if (now.some(({ node }) => node.id === id)) return parent;
    return nodes.setKeyword(parent, 'properties', now.toSpliced(index, 0, property));
  });
  return nodes.isRequired(before, id) ? nodes.setRequired(next, id, true) : next;
}
