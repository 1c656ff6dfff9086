import { Link } from '@tanstack/react-router';
import { ArrowLeft, Check, CircleDot, Lock, MessagesSquare, Plug, Save } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AgentMode } from '../../../../src/agents/agent.ts';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { SourceBadge } from '../../../parts/agents/source-badge.tsx';
import { ModelField } from '../../../parts/models/model-field.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { isApple, Kbd } from '../../../ui/kbd.tsx';
import { labelsIn } from '../../../ui/labels-in.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Select } from '../../../ui/select.tsx';
import type { Draft, EditDraft } from './draft.ts';
import { issueAt } from './validate-draft.ts';

export interface EditorHeaderProps {
  agent: AgentDetail;
  draft: Draft;
  dirty: boolean;
  saving: boolean;
  issues: readonly FieldIssue[];
  edit: (edit: EditDraft) => void;
  onSave: () => void;
  menu: ReactNode;
}

const quietInput =
  'rounded-lg border border-transparent bg-transparent transition-colors hover:border-line-strong focus:border-accent focus:bg-raised read-only:hover:border-transparent aria-invalid:border-danger';

/** The sticky bar with the name and the Save button. */
export function EditorBar({ agent, draft, dirty, saving, issues, edit, onSave, menu }: EditorHeaderProps) {
  const error = issueAt(issues, 'name');
  return (
    <div className="sticky top-0 z-20 -mx-4 flex items-center gap-2 border-transparent border-b bg-bg/90 px-4 py-2.5 backdrop-blur sm:-mx-6 sm:px-6">
      <Link
        to="/"
        aria-label="All agents"
        className={classes(buttonClass({ variant: 'ghost' }), 'px-2! max-sm:hidden')}
      >
        <ArrowLeft aria-hidden />
      </Link>
      <AgentAvatar id={agent.id} seed={draft.appearanceSeed} size={36} />
      <h1 className="sr-only">{draft.name}</h1>
      <input
        aria-label="Name"
        aria-invalid={error ? true : undefined}
        title={error}
        value={draft.name}
        readOnly={!agent.editable}
        onChange={(event) => edit((before) => ({ ...before, name: event.target.value }))}
        className={classes(quietInput, 'h-9 min-w-0 flex-1 truncate px-2 font-display font-semibold text-lg')}
      />
      <SaveState agent={agent} dirty={dirty} saving={saving} />
      <UseAgent id={agent.id} className="@max-4xl:hidden" />
      {agent.editable && (
        <Button variant="primary" icon={<Save aria-hidden />} busy={saving} disabled={!dirty} onClick={onSave}>
          Save
          <span aria-hidden className="max-lg:hidden">
            <Kbd inverted>{isApple ? '⌘S' : 'Ctrl S'}</Kbd>
          </span>
        </Button>
      )}
      {menu}
    </div>
  );
}

/** Where to go with the agent: the two things people make one for. */
function UseAgent({ id, className }: { id: string; className: string }) {
  return (
    <span className={classes('flex gap-2', className)}>
      <Link to="/chat" search={{ with: id }} className={buttonClass({})}>
        <MessagesSquare aria-hidden />
        Chat
      </Link>
      <Link to="/connect" search={{ agent: id }} className={buttonClass({})}>
        <Plug aria-hidden />
        Connect
      </Link>
    </span>
  );
}

function SaveState({ agent, dirty, saving }: { agent: AgentDetail; dirty: boolean; saving: boolean }) {
  const base = 'flex items-center gap-1.5 whitespace-nowrap text-xs [&_svg]:size-3.5';
  return (
    <p role="status" data-testid="save-state" className={classes(base, dirty ? 'text-warn' : 'text-faint')}>
      {!agent.editable ? (
        <>
          <Lock aria-hidden />
          Read-only
        </>
      ) : saving ? (
        'Saving…'
      ) : dirty ? (
        <>
          <CircleDot aria-hidden />
          <span className="max-sm:sr-only">Unsaved changes</span>
        </>
      ) : (
        <>
          <Check aria-hidden />
          <span className="max-sm:sr-only">Saved {agent.updatedAt && <RelativeTime at={agent.updatedAt} />}</span>
        </>
      )}
    </p>
  );
}

const modes: { value: AgentMode; label: string }[] = [
  { value: 'interactive', label: 'Interactive' },
  { value: 'autonomous', label: 'Autonomous' },
  { value: 'tools', label: 'Tools' },
];

type EditorFactsProps = Pick<EditorHeaderProps, 'agent' | 'draft' | 'issues' | 'edit'>;

/** The agent's description, source, mode, version, model and id. */
export function EditorFacts({ agent, draft, issues, edit }: EditorFactsProps) {
  const problems = (['name', 'description', 'version', 'model', 'tags'] as const).flatMap((field) => {
    const message = issueAt(issues, field);
    return message ? [`${field.charAt(0).toUpperCase()}${field.slice(1)}: ${message}`] : [];
  });
  return (
    <div className="flex flex-col gap-1.5">
      <textarea
        aria-label="Description"
        aria-invalid={issueAt(issues, 'description') ? true : undefined}
        rows={1}
        value={draft.description}
        readOnly={!agent.editable}
        placeholder={agent.editable ? 'What is this agent for? Clients show this description.' : ''}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
        onChange={(event) => {
          const description = event.target.value.replaceAll(/\s*[\r\n]+\s*/g, ' ');
          edit((before) => ({ ...before, description }));
        }}
        className={classes(
          quietInput,
          'field-sizing-content max-h-28 w-full resize-none px-2 py-1 text-muted focus:text-text',
        )}
      />
      <UseAgent id={agent.id} className="@4xl:hidden px-2 pb-1" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-2 text-xs">
        <SourceBadge source={agent.source} definedIn={agent.place} />
        <Select
          label="Mode"
          prefix="Mode"
          value={draft.mode}
          options={modes}
          disabled={!agent.editable}
          onChange={(mode) => edit((before) => ({ ...before, mode }))}
          className="h-7! text-xs! shadow-none!"
        />
        <Fact label="Version">
          <input
            aria-label="Version"
            aria-invalid={issueAt(issues, 'version') ? true : undefined}
            value={draft.version}
            readOnly={!agent.editable}
            size={Math.max(3, draft.version.length)}
            onChange={(event) => edit((before) => ({ ...before, version: event.target.value }))}
            className={classes(quietInput, factInput)}
          />
        </Fact>
        <Fact label="Model">
          <ModelField
            value={draft.model}
            isInvalid={issueAt(issues, 'model') !== undefined}
            readOnly={!agent.editable}
            onChange={(model) => edit((before) => ({ ...before, model }))}
            className={classes(quietInput, factInput)}
          />
        </Fact>
        <Fact label="Tags">
          <TagsInput agent={agent} draft={draft} issues={issues} edit={edit} />
        </Fact>
        <span className="flex min-w-0 items-center gap-0.5 text-faint">
          ID <code className="ml-1 truncate font-mono text-muted">{agent.id}</code>
          <CopyButton iconOnly label="Copy ID" text={agent.id} />
        </span>
      </div>
      {problems.length > 0 && (
        <ul role="alert" className="px-2 text-danger text-xs">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Keeps what is typed, such as a comma at the end, until the tags change elsewhere. */
function TagsInput({ agent, draft, issues, edit }: EditorFactsProps) {
  const [text, setText] = useState(draft.tags.join(', '));
  const shown = labelsIn(text).join() === draft.tags.join() ? text : draft.tags.join(', ');
  return (
    <input
      aria-label="Tags, separated by commas"
      aria-invalid={issueAt(issues, 'tags') ? true : undefined}
      value={shown}
      readOnly={!agent.editable}
      placeholder={agent.editable ? 'None' : ''}
      size={Math.max(4, shown.length)}
      onChange={(event) => {
        setText(event.target.value);
        const tags = labelsIn(event.target.value);
        edit((before) => ({ ...before, tags }));
      }}
      className={classes(quietInput, factInput, 'font-sans!')}
    />
  );
}

const factInput = 'field-sizing-content h-7 min-w-12 max-w-52 px-1.5 font-mono text-xs max-md:h-9 max-md:text-sm';

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className="flex min-w-0 items-center text-faint">
      <span aria-hidden>{label}</span>
      {children}
    </span>
  );
}
