import {
  type Announcements,
  closestCorners,
  type DragEndEvent,
  type DragOverEvent,
  type DragStartEvent,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { sortableKeyboardCoordinates } from '@dnd-kit/sortable';
import { useState } from 'react';
import { showToast } from '../../../ui/toast.tsx';
import type { Draft, EditDraft } from './draft.ts';
import { groupSkills, moveBack, moveSkill, noCategory, placeOf, type SkillPlace } from './edit-skills.ts';

// Constants: new objects would make dnd-kit rerender every card on each keystroke.
const pointerOptions = { activationConstraint: { distance: 5 } };
const keyboardOptions = { coordinateGetter: sortableKeyboardCoordinates };

type Skills = Pick<Draft, 'skills' | 'skillCategories'>;

/** Drags skills by mouse, touch or keyboard. The draft changes only on drop. */
export function useSkillDrag(shown: Skills, edit: (edit: EditDraft) => void) {
  const [dragged, setDragged] = useState<Draft['skills'] | null>(null);
  const sensors = useSensors(useSensor(PointerSensor, pointerOptions), useSensor(KeyboardSensor, keyboardOptions));
  const current: Skills = { skills: dragged ?? shown.skills, skillCategories: shown.skillCategories };
  const context = {
    sensors,
    collisionDetection: closestCorners,
    accessibility: { announcements: announce(current), screenReaderInstructions: { draggable: instructions } },
    onDragStart: (_: DragStartEvent) => setDragged(shown.skills),
    onDragOver: ({ active, over }: DragOverEvent) => {
      if (!over) return;
      const target = groupOf(current, over.id);
      // Within a group, dnd-kit moves the cards.
      if (target === groupOf(current, active.id)) return;
      setDragged(moveOver(current, String(active.id), over.id).skills);
    },
    onDragEnd: ({ active, over }: DragEndEvent) => {
      setDragged(null);
      if (!over) return;
      const result = moveOver(current, String(active.id), over.id);
      const group = result.groups.find((each) => each.skills.some((skill) => skill.id === active.id));
      const index = group?.skills.findIndex((skill) => skill.id === active.id) ?? -1;
      if (!group || index < 0) return;
      const target = { categoryId: group.category?.id ?? null, beforeId: group.skills[index + 1]?.id ?? null };
      const from = placeOf(shown, String(active.id));
      if (from?.categoryId === target.categoryId && from.beforeId === target.beforeId) return;
      moveWithUndo(edit, String(active.id), target);
    },
    onDragCancel: () => setDragged(null),
  };
  return { skills: current.skills, isDragging: dragged !== null, context };
}

/** Moves a skill and offers to move it back. */
export function moveWithUndo(edit: (edit: EditDraft) => void, id: string, to: SkillPlace): void {
  let from: SkillPlace | null = null;
  edit((draft) => {
    const moved = moveSkill(draft, id, to);
    if (moved !== draft) from = placeOf(draft, id);
    return moved;
  });
  const undo = () => edit((draft) => (from ? moveBack(draft, id, from) : draft));
  showToast('Skill moved', { action: { label: 'Undo', onClick: undo } });
}

/** Returns the skills as they would be after dropping one over a skill or group. */
function moveOver(shown: Skills, id: string, over: UniqueIdentifier) {
  const categoryId = groupOf(shown, over);
  const from = shown.skills.findIndex((skill) => skill.id === id);
  const to = shown.skills.findIndex((skill) => skill.id === over);
  let skills = shown.skills;
  if (id !== over && from >= 0) {
    const moving = skills[from];
    const sameGroup = groupOf(shown, id) === categoryId;
    if (moving && (to >= 0 || !sameGroup)) {
      const rest = skills.toSpliced(from, 1);
      const moved = { ...moving, categoryId };
      const overIndex = rest.findIndex((skill) => skill.id === over);
      // Within a group, the dragged card takes the other's position: after it when it came from above.
      const index = overIndex < 0 ? rest.length : sameGroup && from < to ? overIndex + 1 : overIndex;
      skills = rest.toSpliced(index, 0, moved);
    }
  }
  return { skills, groups: groupSkills({ skills, skillCategories: shown.skillCategories }) };
}

/** Returns the category of a skill or of a `group:` area. */
function groupOf({ skills, skillCategories }: Skills, id: UniqueIdentifier): string | null {
  const text = String(id);
  if (text.startsWith('group:')) {
    const categoryId = text.slice('group:'.length);
    return categoryId === noCategory ? null : categoryId;
  }
  const categoryId = skills.find((skill) => skill.id === id)?.categoryId ?? null;
  return skillCategories.some((category) => category.id === categoryId) ? categoryId : null;
}

const instructions =
  'Press Space or Enter to pick up a skill. Use the arrow keys to move it, even into another category. Press Space to drop it or Escape to cancel.';

function announce(shown: Skills): Announcements {
  const name = (id: UniqueIdentifier) => shown.skills.find((skill) => skill.id === id)?.name ?? 'The skill';
  const location = (id: UniqueIdentifier) => {
    const group = groupSkills(shown).find((each) => (each.category?.id ?? null) === groupOf(shown, id));
    const position = (group?.skills.findIndex((skill) => skill.id === id) ?? -1) + 1;
    return `in ${group?.category?.name ?? 'No category'}${position > 0 ? `, position ${position}` : ''}`;
  };
  return {
    onDragStart: ({ active }) => `Picked up ${name(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${name(active.id)} is ${location(over.id)}.` : undefined),
    onDragEnd: ({ active, over }) =>
      over ? `${name(active.id)} dropped ${location(over.id)}.` : `${name(active.id)} returned to its position.`,
    onDragCancel: ({ active }) => `${name(active.id)} returned to its position.`,
  };
}
