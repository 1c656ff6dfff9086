import { CircleAlert } from 'lucide-react';
import type { RefObject } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { TabPanel, Tabs } from '../../../ui/tabs.tsx';
import { BrainTab } from '../brain/brain-tab.tsx';
import { ArgumentsTab } from './arguments-tab.tsx';
import { ContextTab } from './context-tab.tsx';
import type { Draft } from './draft.ts';
import { HistoryTab } from './history-tab.tsx';
import { KnowledgeTab } from './knowledge-tab.tsx';
import { OfferedToolsTab } from './offered-tools-tab.tsx';
import { PromptTab } from './prompt-tab.tsx';
import { RulesTab } from './rules-tab.tsx';
import { SkillsTab } from './skills-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';
import type { DraftContext } from './use-draft-context.ts';
import type { DraftPriming } from './use-draft-priming.ts';
import type { WholeDraft } from './use-whole-draft.ts';
import { countIssues, issueAt } from './validate-draft.ts';

export interface EditorTabsProps {
  agent: AgentDetail;
  model: WholeDraft;
  /** The issues to show. */
  issues: readonly FieldIssue[];
  priming: DraftPriming;
  context: DraftContext;
  tab: string;
  onTab: (tab: string) => void;
  promptMemory: RefObject<unknown>;
  restoring: boolean;
  onRestore: (revision: number) => void;
}

/** The tab that uses the full width. */
export const offeredToolsTab = 'offered-tools';

const tabs: { value: string; label: string; fields: (keyof Draft)[] }[] = [
  { value: 'prompt', label: 'Prompt', fields: ['systemPrompt'] },
  { value: 'skills', label: 'Skills', fields: ['skills', 'skillCategories'] },
  { value: 'rules', label: 'Rules', fields: ['rules', 'references'] },
  { value: 'arguments', label: 'Arguments', fields: ['arguments'] },
  { value: 'tools', label: 'Tools', fields: ['tools', 'toolPermission'] },
  { value: offeredToolsTab, label: 'Offered tools', fields: ['exposes', 'shareContext'] },
  { value: 'knowledge', label: 'Knowledge', fields: ['knowledge'] },
  { value: 'context', label: 'Context', fields: ['contextRefs', 'contextBudget'] },
  { value: 'brain', label: 'Brain', fields: [] },
  { value: 'history', label: 'History', fields: [] },
];

/** Returns the tab that edits an issue's field; undefined for fields in the header. */
export function tabOf(path: string): string | undefined {
  const field = path.split(/[.[]/, 1)[0];
  return tabs.find((tab) => tab.fields.some((each) => each === field))?.value;
}

export function EditorTabs(props: EditorTabsProps) {
  const { agent, model, issues, priming, context, tab, onTab, promptMemory, restoring, onRestore } = props;
  const { draft, edit } = model;
  const editable = agent.editable;
  const counts: Record<string, number> = {
    skills: draft.skills.length,
    rules: draft.rules.length + draft.references.length,
    arguments: draft.arguments.length,
    tools: draft.tools.length,
    [offeredToolsTab]: draft.exposes.length,
    knowledge: draft.knowledge.length,
    context: draft.contextRefs.length,
  };
  const panel = 'pt-3.5 outline-offset-4';
  return (
    <Tabs
      label="Agent"
      wraps
      value={tabs.some((each) => each.value === tab) ? tab : 'prompt'}
      onChange={onTab}
      tabs={tabs.map(({ value, label, fields }) => ({
        value,
        label,
        ...(counts[value] && { count: counts[value] }),
        ...(fields.some((field) => countIssues(issues, field) > 0) && {
          icon: <CircleAlert aria-label="has problems" className="text-danger" />,
        }),
      }))}
    >
      <h2 className="sr-only">{tabs.find((each) => each.value === tab)?.label ?? 'Prompt'}</h2>
      <TabPanel value="prompt" className={panel}>
        <PromptTab
          value={draft.systemPrompt}
          declared={draft.arguments}
          editable={editable}
          error={issueAt(issues, 'systemPrompt')}
          memory={promptMemory}
          edit={edit}
        />
      </TabPanel>
      <TabPanel value="skills" className={panel}>
        <SkillsTab
          skills={draft.skills}
          skillCategories={draft.skillCategories}
          editable={editable}
          issues={issues}
          edit={edit}
        />
      </TabPanel>
      <TabPanel value="rules" className={panel}>
        <RulesTab rules={draft.rules} references={draft.references} editable={editable} issues={issues} edit={edit} />
      </TabPanel>
      <TabPanel value="arguments" className={panel}>
        <ArgumentsTab draft={draft} editable={editable} issues={issues} edit={edit} />
      </TabPanel>
      <TabPanel value="tools" className={panel}>
        <ToolsTab
          agentId={agent.id}
          scope={draft.tools}
          toolPermission={draft.toolPermission}
          editable={editable}
          issues={issues}
          edit={edit}
        />
      </TabPanel>
      <TabPanel value={offeredToolsTab} className={panel}>
        <OfferedToolsTab
          agentId={agent.id}
          tools={model.offered}
          mode={draft.mode}
          shareContext={draft.shareContext}
          editable={editable}
          issues={issues}
          dirty={model.dirty}
          edit={edit}
          save={model.save}
        />
      </TabPanel>
      <TabPanel value="knowledge" className={panel}>
        <KnowledgeTab agent={agent} draft={draft} issues={issues} priming={priming} edit={edit} />
      </TabPanel>
      <TabPanel value="context" className={panel}>
        <ContextTab draft={draft} editable={editable} issues={issues} context={context} edit={edit} />
      </TabPanel>
      <TabPanel value="brain" className={panel}>
        <BrainTab agentId={agent.id} />
      </TabPanel>
      <TabPanel value="history" className={panel}>
        <HistoryTab saved={agent} restoring={restoring} onRestore={onRestore} />
      </TabPanel>
    </Tabs>
  );
}
