import { CopyPlus, Ellipsis, Trash2 } from 'lucide-react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { useBuilder } from './builder-context.ts';
import * as nodes from './edit-nodes.ts';
import type { PropertyNode, SchemaNode } from './schema-node.ts';

export function ParameterMenu({ property, label }: { property: PropertyNode; label: string }) {
  const { change } = useBuilder();
  const { node } = property;
  const remove = () => {
    let before: SchemaNode | undefined;
    change((root) => {
      before = nodes.parentOf(root, node.id);
      return nodes.removeProperty(root, node.id);
    });
    // Restores only this property, so that later changes stay.
    const undo = () => change((root) => restoreProperty(root, before, property));
    showToast(`Parameter “${label}” removed`, { action: { label: 'Undo', onClick: undo } });
  };
  return (
    <Menu trigger={<IconButton size="sm" label={`Actions for ${label}`} icon={<Ellipsis aria-hidden />} />}>
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

function restoreProperty(root: SchemaNode, before: SchemaNode | undefined, property: PropertyNode): SchemaNode {
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
