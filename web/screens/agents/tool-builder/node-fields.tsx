import { SlidersHorizontal } from 'lucide-react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Input } from '../../../ui/input.tsx';
import { Select } from '../../../ui/select.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { useBuilder } from './builder-context.ts';
import { changeNode, changeType, setKeyword } from './edit-nodes.ts';
import { typeNames } from './keyword-table.ts';
import { childrenOf, keywordsOf, type ParameterType, type SchemaNode } from './schema-node.ts';

// Object.keys returns string[].
const types = (Object.keys(typeNames) as ParameterType[]).map((value) => ({ value, label: typeNames[value] }));

/** Changing the type drops keywords that do not apply; a toast offers Undo. */
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
          showToast(`Type of ${name} changed to ${typeNames[type].toLowerCase()}`, {
            action: { label: 'Undo', onClick: undo },
          });
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
        placeholder="Describe it for callers"
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

interface DetailsButtonProps {
  node: SchemaNode;
  name: string;
  isOpen: boolean;
  onToggle: () => void;
}

export function DetailsButton({ node, name, isOpen, onToggle }: DetailsButtonProps) {
  const { problemAt } = useBuilder();
  const fields = [...keywordsOf[node.keywords.type], 'other'] as const;
  const hasProblem = fields.some((field) => problemAt(node.id, field) !== undefined);
  return (
    <IconButton
      size="sm"
      label={`Values and limits of ${name}${hasProblem ? ' (has problems)' : ''}`}
      icon={<SlidersHorizontal aria-hidden />}
      aria-expanded={isOpen}
      onClick={onToggle}
      className={hasProblem ? 'text-danger' : isOpen ? 'bg-pressed text-text' : ''}
    />
  );
}
