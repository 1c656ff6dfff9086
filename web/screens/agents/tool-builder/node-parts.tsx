import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Input } from '../../../ui/input.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Select } from '../../../ui/select.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { useBuilder } from './builder-context.ts';
import { DetailsButton } from './details-button.tsx';
import { changeNode, changeType, newNode, setKeyword } from './edit-nodes.ts';
import { KeywordFields } from './keyword-fields.tsx';
import { summaryOf, typeNames } from './keyword-table.ts';
import { OtherRules } from './other-rules.tsx';
import { ParameterList } from './parameter-list.tsx';
import { childrenOf, type ParameterType, type SchemaNode } from './schema-node.ts';

// A list of its own keys has the type of any text.
const types = (Object.keys(typeNames) as ParameterType[]).map((value) => ({ value, label: typeNames[value] }));

/** Another type takes along what it has no word for; the way back is one click. */
export function TypeSelect({ node, name }: { node: SchemaNode; name: string }) {
  const { editable, change } = useBuilder();
  return (
    <Select
      label={`Type of ${name}`}
      value={node.keywords.type}
      options={types}
      disabled={!editable}
      onChange={(type) => {
        change((root) => changeNode(root, node.id, (each) => changeType(each, type)));
        const hasParts =
          node.keywords.properties?.length || childrenOf(node).some((child) => childrenOf(child).length > 0);
        if (hasParts || Object.keys(node.other).length > 0) {
          const undo = () => change((root) => changeNode(root, node.id, () => node));
          showToast(`${name} is now: ${typeNames[type].toLowerCase()}`, { action: { label: 'Undo', onClick: undo } });
        }
      }}
      className="w-34 min-w-20 max-sm:w-auto max-sm:flex-1"
    />
  );
}

export function DescriptionInput({ node, name }: { node: SchemaNode; name: string }) {
  const { editable, change, problemAt } = useBuilder();
  const error = problemAt(node.id, 'description');
  const { description } = node.keywords;
  if (!editable && description === undefined) return null;
  return (
    <>
      <Input
        aria-label={`Description of ${name}`}
        aria-invalid={error ? true : undefined}
        placeholder="Description for the caller"
        autoComplete="off"
        readOnly={!editable}
        value={description ?? ''}
        className="border-transparent! bg-transparent! text-muted hover:border-line-strong! focus:border-accent! focus:bg-raised! focus:text-text aria-invalid:border-danger!"
        onChange={(event) => {
          const text = event.target.value;
          change((root) => changeNode(root, node.id, (each) => setKeyword(each, 'description', text || undefined)));
        }}
      />
      {error && (
        <p role="alert" className="text-danger text-xs">
          {error}
        </p>
      )}
    </>
  );
}

/** Limits and values, and what lies below: properties of an object, entries of a list. */
export function NodeBody({ node, name, isOpen }: { node: SchemaNode; name: string; isOpen: boolean }) {
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

function Inset({ children }: { children: React.ReactNode }) {
  return <div className="ml-1 border-line border-l-2 pl-3 max-sm:pl-2">{children}</div>;
}

/** A schema without a name: what the entries of a list are, or the properties that have no schema of their own. */
function InnerSchema({
  node,
  label,
  name,
  end,
}: {
  node: SchemaNode;
  label: string;
  name: string;
  end?: React.ReactNode;
}) {
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
      changeNode(root, node.id, (each) =>
        setKeyword(setKeyword(each, 'items', next.items), 'prefixItems', next.prefixItems),
      ),
    );
  if (!items && !prefixItems) {
    if (!editable || 'prefixItems' in node.other) return null;
    return (
      <Button size="sm" icon={<Plus aria-hidden />} onClick={() => set({ items: newNode('string') })}>
        Say what an entry is
      </Button>
    );
  }
  return (
    <div className="flex flex-col gap-2.5">
      {editable && (
        <Segmented
          label={`Entries of ${name}`}
          value={prefixItems ? 'places' : 'all'}
          options={[
            { value: 'all', label: 'All entries alike' },
            { value: 'places', label: 'Each place its own' },
          ]}
          onChange={(next) => {
            if (next === 'places' && items) set({ prefixItems: [items] });
            else if (next === 'all' && prefixItems) {
              set({ items: prefixItems[0] ?? newNode('string') });
              if (prefixItems.length < 2 && !items) return;
              const undo = () => set({ items, prefixItems });
              showToast(`All entries of ${name} are now as the first`, { action: { label: 'Undo', onClick: undo } });
            }
          }}
          className="self-start"
        />
      )}
      {prefixItems && <Places places={prefixItems} name={name} set={(places) => set({ items, prefixItems: places })} />}
      {items && (
        <InnerSchema
          node={items}
          label={prefixItems ? 'The rest' : 'Each entry'}
          name={prefixItems ? `other entries of ${name}` : `entries of ${name}`}
        />
      )}
    </div>
  );
}

function Places({ places, name, set }: { places: SchemaNode[]; name: string; set: (places: SchemaNode[]) => void }) {
  const { editable } = useBuilder();
  return (
    <>
      {places.map((item, index) => (
        <InnerSchema
          key={item.id}
          node={item}
          label={`Place ${index + 1}`}
          name={`place ${index + 1} of ${name}`}
          end={
            editable &&
            places.length > 1 && (
              <IconButton
                size="sm"
                label={`Remove place ${index + 1} of ${name}`}
                icon={<X aria-hidden />}
                onClick={() => set(places.toSpliced(index, 1))}
              />
            )
          }
        />
      ))}
      {editable && (
        <Button
          size="sm"
          icon={<Plus aria-hidden />}
          onClick={() => set([...places, newNode('string')])}
          className="self-start"
        >
          Place
        </Button>
      )}
    </>
  );
}
