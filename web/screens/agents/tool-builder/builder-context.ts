import { createContext, useContext } from 'react';
import type { NodeField } from './find-problems.ts';
import type { SchemaNode } from './schema-node.ts';

/** Shared by all parts of the builder, at any depth. */
export interface Builder {
  editable: boolean;
  change: (edit: (root: SchemaNode) => SchemaNode) => void;
  problemAt: (id: string, field: NodeField) => string | undefined;
  /** Called when a name field gets and loses focus. */
  onNaming: (id: string) => void;
  onNamed: (id: string, name: string) => void;
}

export const BuilderContext = createContext<Builder | null>(null);

export function useBuilder(): Builder {
  const builder = useContext(BuilderContext);
  if (!builder) throw new Error('useBuilder needs a BuilderContext');
  return builder;
}
