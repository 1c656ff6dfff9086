import type { AgentArgument, Skill, SkillCategory } from '../../../../src/agents/agent.ts';
import { type DiffLine, diffLines } from '../../../../src/agents/diff-lines.ts';
import type { PromptItem } from '../../../../src/agents/prompt-item.ts';
import type { Draft } from './draft.ts';

export interface Change {
  kind: 'added' | 'removed' | 'changed';
  /** Such as "System prompt" or "Skill “Tests first”". */
  title: string;
  /** Short descriptions, such as "renamed" or "turned off". */
  notes: string[];
  /** Empty if the notes cover the change. */
  lines: DiffLine[];
}

type Side = Pick<Draft, keyof Draft>;

/** Returns the changes from `before` to `after`, field by field and skill by skill. */
export function compareAgents(before: Side, after: Side): Change[] {
  const text = (title: string, from: string, to: string): Change[] =>
    from === to ? [] : [{ kind: 'changed', title, notes: [], lines: diffLines(from, to) }];
  const list = (title: string, from: readonly string[], to: readonly string[]) =>
    text(title, from.join('\n'), to.join('\n'));
  const json = (title: string, from: unknown, to: unknown) =>
    text(title, JSON.stringify(from, null, 2), JSON.stringify(to, null, 2));
  return [
    ...text('Name', before.name, after.name),
    ...text('Description', before.description, after.description),
    ...text('Version', before.version, after.version),
    ...list('Tags', before.tags, after.tags),
    ...text('Mode', before.mode, after.mode),
    ...text('Model', before.model ?? '', after.model ?? ''),
    ...text('System prompt', before.systemPrompt, after.systemPrompt),
    ...compareCategories(before.skillCategories, after.skillCategories),
    ...compareSkills(before, after),
    ...orderChange(before.skills, after.skills),
    ...compareItems('Rule', before.rules, after.rules),
    ...compareItems('Reference', before.references, after.references),
    ...compareArguments(before.arguments, after.arguments),
    ...list('Tools', before.tools, after.tools),
    ...json('Offered tools', before.exposes, after.exposes),
    ...text('Shared context', String(before.shareContext), String(after.shareContext)),
    ...json('Knowledge', before.knowledge, after.knowledge),
    ...list('Context references', before.contextRefs, after.contextRefs),
    ...text('Context budget', String(before.contextBudget), String(after.contextBudget)),
    ...json('Model settings', before.modelSettings, after.modelSettings),
    ...text('Tool permission', before.toolPermission, after.toolPermission),
    ...text('Picture', before.appearanceSeed ?? '', after.appearanceSeed ?? ''),
    ...json('Provider', before.provider, after.provider),
    ...text('Icon', before.iconUrl ?? '', after.iconUrl ?? ''),
    ...text('Documentation', before.documentationUrl ?? '', after.documentationUrl ?? ''),
  ];
}

function compareSkills(before: Side, after: Side): Change[] {
  const name = (side: Side, id: string | null) =>
    side.skillCategories.find((category) => category.id === id)?.name ?? 'No category';
  return compareById(before.skills, after.skills, {
    key: (skill) => skill.id,
    title: (skill) => `Skill “${skill.name}”`,
    text: (skill) => skill.description,
    notes: (from, to) => [
      ...(from.name === to.name ? [] : [`renamed from “${from.name}”`]),
      ...(from.enabled === to.enabled ? [] : [to.enabled ? 'turned on' : 'turned off']),
      ...(String(from.requires ?? '') === String(to.requires ?? '')
        ? []
        : [to.requires ? `requires ${to.requires.join(', ')}` : 'requires nothing']),
      ...(from.categoryId === to.categoryId
        ? []
        : [`moved from “${name(before, from.categoryId)}” to “${name(after, to.categoryId)}”`]),
    ],
  });
}

function compareCategories(before: readonly SkillCategory[], after: readonly SkillCategory[]): Change[] {
  return compareById(before, after, {
    key: (category) => category.id,
    title: (category) => `Category “${category.name}”`,
    text: () => '',
    notes: (from, to) => [
      ...(from.name === to.name ? [] : [`renamed from “${from.name}”`]),
      ...(from.color === to.color ? [] : [`color ${from.color} → ${to.color}`]),
    ],
  });
}

function compareArguments(before: readonly AgentArgument[], after: readonly AgentArgument[]): Change[] {
  return compareById(before, after, {
    key: (argument) => argument.name,
    title: (argument) => `Argument “${argument.name}”`,
    text: (argument) => argument.description,
    notes: (from, to) => (from.required === to.required ? [] : [to.required ? 'now required' : 'now optional']),
  });
}

function compareItems(kind: string, before: readonly PromptItem[], after: readonly PromptItem[]): Change[] {
  return compareById(before, after, {
    key: (item) => item.name,
    title: (item) => `${kind} “${item.name}”`,
    text: (item) => item.text,
    notes: (from, to) => [
      ...(from.include === to.include ? [] : [`included ${to.include} instead of ${from.include}`]),
      ...(from.priority === to.priority ? [] : [`priority ${from.priority} → ${to.priority}`]),
      ...(from.description === to.description ? [] : ['description changed']),
    ],
  });
}

interface Comparison<T> {
  key(item: T): string;
  title(item: T): string;
  text(item: T): string;
  notes(from: T, to: T): string[];
}

function compareById<T>(before: readonly T[], after: readonly T[], by: Comparison<T>): Change[] {
  const left = new Map(before.map((item) => [by.key(item), item]));
  const right = new Set(after.map(by.key));
  const changes: Change[] = [];
  for (const to of after) {
    const from = left.get(by.key(to));
    if (!from) {
      changes.push({ kind: 'added', title: by.title(to), notes: [], lines: diffLines('', by.text(to)) });
      continue;
    }
    const notes = by.notes(from, to);
    const lines = by.text(from) === by.text(to) ? [] : diffLines(by.text(from), by.text(to));
    if (notes.length + lines.length > 0) changes.push({ kind: 'changed', title: by.title(to), notes, lines });
  }
  for (const from of before) {
    if (right.has(by.key(from))) continue;
    changes.push({ kind: 'removed', title: by.title(from), notes: [], lines: diffLines(by.text(from), '') });
  }
  return changes;
}

/** Moving a skill is a change, because skills keep their order in the compiled prompt. */
function orderChange(before: readonly Skill[], after: readonly Skill[]): Change[] {
  const ids = (skills: readonly Skill[]) => new Set(skills.map((skill) => skill.id));
  const [idsBefore, idsAfter] = [ids(before), ids(after)];
  const to = after.filter((skill) => idsBefore.has(skill.id));
  const from = before.filter((skill) => idsAfter.has(skill.id));
  if (from.every((skill, index) => skill.id === to[index]?.id)) return [];
  const names = new Map(after.map((skill) => [skill.id, skill.name]));
  const text = (skills: readonly Skill[]) => skills.map((skill) => names.get(skill.id) ?? skill.name).join('\n');
  return [{ kind: 'changed', title: 'Skill order', notes: [], lines: diffLines(text(from), text(to)) }];
}
