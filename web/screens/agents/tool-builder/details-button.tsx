import { SlidersHorizontal } from 'lucide-react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useBuilder } from './builder-context.ts';
import { keywordsOf } from './keyword-table.ts';
import type { SchemaNode } from './schema-node.ts';

export interface DetailsButtonProps {
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
      label={`Values and limits of ${name}${hasProblem ? ', with a problem' : ''}`}
      icon={<SlidersHorizontal aria-hidden />}
      aria-expanded={isOpen}
      onClick={onToggle}
      className={hasProblem ? 'text-danger' : isOpen ? 'bg-pressed text-text' : ''}
    />
  );
}
