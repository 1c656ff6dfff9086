import { useNavigate } from '@tanstack/react-router';
import { Copy, FileLock2, GitCompareArrows, Trash2 } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { useCreateAgent, useRestoreVersion, useUndeleteAgent } from '../../../api/queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useNoteOpened } from '../../../parts/recent/opened.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { TypingContext, useHeldErrors, useTyping } from '../../../ui/use-held-errors.ts';
import { useLeaveGuard } from '../../../ui/use-leave-guard.ts';
import { useTitle } from '../../../ui/use-title.ts';
import { CompiledPanel } from './compiled-panel.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { toDraft } from './draft.ts';
import { EditorBar, EditorFacts } from './editor-header.tsx';
import { EditorMenu, useCloneAndOpen } from './editor-menu.tsx';
import { EditorTabs, offeredToolsTab, tabOf } from './editor-tabs.tsx';
import { formatTime } from './format-time.ts';
import { ReachedAt } from './reached-at.tsx';
import { useDraftContext } from './use-draft-context.ts';
import { useDraftPriming } from './use-draft-priming.ts';
import { useWholeDraft, type WholeDraft } from './use-whole-draft.ts';

export interface LoadedEditorProps {
  agent: AgentDetail;
  tab: string;
  /** Whether the agent was deleted elsewhere. */
  isGone: boolean;
}

export function LoadedEditor({ agent, tab, isGone }: LoadedEditorProps) {
  const navigate = useNavigate();
  const goToTab = (next: string) =>
    void navigate({ to: '/a/$id', params: { id: agent.id }, search: { tab: next }, replace: true, resetScroll: false });
  const typing = useTyping();
  const onInvalid = (invalid: readonly FieldIssue[]) => {
    typing.stop();
    const first = invalid[0];
    const count = invalid.length === 1 ? 'One field needs' : `${invalid.length} fields need`;
    showToast(`Not saved: ${count} attention`, first ? { description: `${fieldName(first)}: ${first.message}` } : {});
    const field = first && tabOf(first.path);
    if (field) goToTab(field);
  };
  /** Returns an issue's path with the tool's name instead of its index. */
  const fieldName = ({ path }: FieldIssue) =>
    path.replace(/^exposes\[(\d+)\]\.?/, (_, index) => `${model.draft.exposes[Number(index)]?.name} `).trim();
  const model = useWholeDraft(agent, onInvalid);
  const { state, draft, dirty, edit, save } = model;
  const issues = useHeldErrors(model.issues, pathOf, typing.isTyping);
  const { saved } = state;
  const isWide = tab === offeredToolsTab;
  const priming = useDraftPriming(model.settled);
  const context = useDraftContext(saved.id, model.settled);
  const [narrowView, setNarrowView] = useState<'edit' | 'preview'>('edit');
  const promptMemory = useRef<unknown>(null);
  useTitle(draft.name || agent.id);
  useLeaveGuard({ dirty, what: 'this agent', save, discard: model.discard, isHeld: model.isHeld });
  useNoteOpened('agent', agent.id, agent.name);
  useSaveKey(() => {
    if (dirty && saved.editable) void save();
  });

  const { restore, restoring } = useRestore(model, saved);
  const copyMine = useCopyMine(model);
  const discard = async () => {
    const sure = await confirm({
      title: 'Discard unsaved changes?',
      message: 'The agent returns to its last saved version.',
      confirmLabel: 'Discard changes',
      danger: true,
    });
    if (sure) model.discard();
  };
  const redraw = () => edit((before) => ({ ...before, appearanceSeed: crypto.randomUUID().slice(0, 8) }));

  return (
    <div {...typing.events} className="@container mx-auto flex w-full max-w-[112rem] flex-col px-4 pb-10 sm:px-6">
      <EditorBar
        agent={saved}
        draft={draft}
        dirty={dirty}
        saving={model.saving}
        issues={issues}
        edit={edit}
        onSave={() => void save()}
        menu={<EditorMenu agent={saved} dirty={dirty} onDiscard={() => void discard()} onRedraw={redraw} />}
      />
      {!isWide && (
        <Segmented
          label="View"
          value={narrowView}
          onChange={setNarrowView}
          className="mb-2 w-full @3xl:hidden [&>button]:flex-1"
          options={[
            { value: 'edit', label: 'Edit' },
            { value: 'preview', label: 'Compiled prompt' },
          ]}
        />
      )}
      <div className="flex items-start gap-5">
        <div
          className={classes(
            'flex min-w-0 flex-[3] flex-col gap-3',
            narrowView === 'preview' && !isWide && '@max-3xl:hidden',
          )}
        >
          <EditorFacts agent={saved} draft={draft} issues={issues} edit={edit} />
          {!isGone && !(isWide && draft.mode === 'tools') && (
            <ReachedAt
              agentId={saved.id}
              mode={draft.mode}
              hasTools={draft.exposes.length > 0}
              isSaved={saved.mode === draft.mode}
            />
          )}
          <DraftNote
            draft={{ restored: model.restored, isRefused: model.isRefused, discard: () => void discard() }}
            className="px-2"
          />
          {isGone ? (
            <GoneBanner agent={saved} onCopy={() => void copyMine(null)} />
          ) : (
            <>
              {!saved.editable && <ReadOnlyBanner agent={saved} />}
              {state.newer && <NewerBanner newer={state.newer} onCompare={() => model.showConflict(state.newer)} />}
            </>
          )}
          <TypingContext value={typing.isTyping}>
            <EditorTabs
              agent={saved}
              model={model}
              issues={issues}
              priming={priming}
              context={context}
              tab={tab}
              onTab={goToTab}
              promptMemory={promptMemory}
              restoring={restoring}
              onRestore={(revision) => void restore(revision)}
            />
          </TypingContext>
        </div>
        <CompiledPanel
          id={saved.id}
          source={saved.source}
          draft={model.settled}
          context={context.text}
          primed={priming.text}
          className={classes(
            '@3xl:sticky @3xl:top-14 @3xl:h-[calc(100dvh-4.5rem)] min-w-0 flex-[2]',
            narrowView === 'edit' && '@max-3xl:hidden',
            isWide && 'hidden',
          )}
        />
      </div>
      {model.conflict && (
        <ResolveConflict model={model} theirs={model.conflict} onCopyMine={(theirs) => void copyMine(theirs)} />
      )}
    </div>
  );
}

interface ResolveConflictProps {
  model: WholeDraft;
  theirs: AgentDetail;
  onCopyMine: (theirs: AgentDetail) => void;
}

function ResolveConflict({ model, theirs, onCopyMine }: ResolveConflictProps) {
  const { saved, draft } = model.state;
  const base = useMemo(() => toDraft(saved), [saved]);
  return (
    <ConflictDialog
      key={theirs.revision}
      theirs={theirs}
      mine={draft}
      base={base}
      hasUnfinishedTools={model.offered.unfinished.length > 0}
      busy={model.saving}
      onClose={() => model.showConflict(null)}
      onTakeTheirs={() => {
        model.load(theirs);
        model.showConflict(null);
        showToast('Saved version loaded');
      }}
      onSave={(merged) =>
        void model.saveMerged(theirs, merged).then((isSaved) => {
          if (isSaved) showToast('Combined version saved');
        })
      }
      onCopyMine={() => onCopyMine(theirs)}
    />
  );
}

const pathOf = ({ path }: FieldIssue) => path;

function useSaveKey(onSave: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    onSave();
  });
  useEffect(() => {
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

function useRestore(model: WholeDraft, saved: AgentDetail) {
  const mutation = useRestoreVersion(saved.id);
  const restore = async (revision: number) => {
    if (model.dirty) {
      const sure = await confirm({
        title: `Restore version ${revision}?`,
        message: 'Your unsaved changes will be replaced.',
        confirmLabel: 'Restore',
        danger: true,
      });
      if (!sure) return;
    }
    const { draft, dirty } = model;
    try {
      const restored = await mutation.mutateAsync({ revision, expectedRevision: saved.revision });
      model.load(restored);
      const undo = async () => {
        if (saved.revision === null) return;
        try {
          const back = { revision: saved.revision, expectedRevision: restored.revision };
          model.load(await mutation.mutateAsync(back));
          if (dirty) model.edit(() => draft);
        } catch (error) {
          showError('The restore could not be undone', error);
        }
      };
      showToast(`Version ${revision} restored`, { action: { label: 'Undo', onClick: () => void undo() } });
    } catch (error) {
      showError('The version could not be restored', error);
    }
  };
  return { restore, restoring: mutation.isPending };
}

/** Saves the draft as a new agent and opens it. The original shows `theirs` again. */
function useCopyMine(model: WholeDraft) {
  const create = useCreateAgent();
  const navigate = useNavigate();
  return async (theirs: AgentDetail | null) => {
    try {
      const copy = await create.mutateAsync({ ...model.draft, name: `${model.draft.name.slice(0, 113)} (mine)` });
      if (theirs) model.load(theirs);
      model.showConflict(null);
      showToast(`Saved as “${copy.name}”`);
      await navigate({ to: '/a/$id', params: { id: copy.id }, ignoreBlocker: true });
    } catch (error) {
      showError('The agent could not be saved', error);
    }
  };
}

function ReadOnlyBanner({ agent }: { agent: AgentDetail }) {
  const clone = useCloneAndOpen(agent);
  return (
    <Banner
      tone="info"
      icon={<FileLock2 />}
      actions={
        <Button size="sm" icon={<Copy aria-hidden />} busy={clone.busy} onClick={clone.start}>
          Clone to edit
        </Button>
      }
    >
      Defined in <span className="break-all font-mono text-xs">{agent.place}</span>. Edit the file to change it, or
      clone it. You can edit its brain here.
    </Banner>
  );
}

function NewerBanner({ newer, onCompare }: { newer: AgentDetail; onCompare: () => void }) {
  return (
    <Banner
      tone="warn"
      icon={<GitCompareArrows />}
      actions={
        <Button size="sm" onClick={onCompare}>
          Compare
        </Button>
      }
    >
      This agent was changed elsewhere {formatTime(newer.updatedAt)}. Compare before you save.
    </Banner>
  );
}

function GoneBanner({ agent, onCopy }: { agent: AgentDetail; onCopy: () => void }) {
  const undelete = useUndeleteAgent();
  const restoreAgent = () =>
    undelete.mutateAsync(agent.id).then(
      () => showToast(`“${agent.name}” restored`),
      (error) => showError('The agent could not be restored', error),
    );
  return (
    <Banner
      tone="danger"
      icon={<Trash2 />}
      actions={
        <>
          {agent.editable && (
            <Button size="sm" busy={undelete.isPending} onClick={() => void restoreAgent()}>
              Restore agent
            </Button>
          )}
          <Button size="sm" onClick={onCopy}>
            Save as new agent
          </Button>
        </>
      }
    >
      This agent was deleted elsewhere. Restore it, or save your version as a new agent.
    </Banner>
  );
}
