import { useNavigate, useSearch } from '@tanstack/react-router';
import { FilePlus2, Sparkles } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import '../../../api/zod-without-eval.ts';
import type { AgentTemplateBody } from '../../../../src/agents/agents.contract.ts';
import { useTemplates } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Page, PageHeader } from '../../../ui/page.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useMedia } from '../../../ui/use-media.ts';
import { useTitle } from '../../../ui/use-title.ts';
import { CreateAgentDialog } from './create-agent-dialog.tsx';

/** The template to create from: null for a blank agent, undefined while none is chosen. */
type PickedTemplate = AgentTemplateBody | null | undefined;

export function NewAgentScreen() {
  useTitle('New agent');
  const { data, error, refetch } = useTemplates();
  const [picked, setPicked] = useState<PickedTemplate>(undefined);
  return (
    <Page>
      <PageHeader
        title="New agent"
        description="Pick a template and make it yours, or start blank."
        actions={
          <Button icon={<FilePlus2 aria-hidden />} onClick={() => setPicked(null)}>
            Start blank
          </Button>
        }
      />
      {data ? (
        data.length > 0 ? (
          <Templates templates={data} onUse={setPicked} />
        ) : (
          <EmptyState
            title="No templates"
            actions={
              <Button variant="primary" onClick={() => setPicked(null)}>
                Create a blank agent
              </Button>
            }
          />
        )
      ) : error ? (
        <ErrorState title="The templates could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingTemplates />
      )}
      {picked !== undefined && (
        <CreateAgentDialog key={picked?.id ?? ''} template={picked} onClose={() => setPicked(undefined)} />
      )}
    </Page>
  );
}

interface TemplatesProps {
  templates: readonly AgentTemplateBody[];
  onUse: (template: AgentTemplateBody) => void;
}

function Templates({ templates, onUse }: TemplatesProps) {
  const { template: templateId } = useSearch({ from: '/new' });
  const navigate = useNavigate({ from: '/new' });
  const isWide = useWide();
  const asked = templates.find((template) => template.id === templateId);
  // Where there is room for a preview, it always shows one.
  const chosen = asked ?? (isWide ? templates[0] : undefined);
  const choose = (template: AgentTemplateBody) =>
    void navigate({ search: { template: template.id }, replace: true, resetScroll: false });
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
      <div className="flex flex-col gap-6">
        {groupTemplates(templates).map((group) => (
          <section key={group.category} aria-label={group.category}>
            <h2 className="mb-2 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
              {group.category}
            </h2>
            <ul className="grid gap-2.5 sm:grid-cols-2">
              {group.templates.map((template) => (
                <li key={template.id}>
                  <TemplateCard
                    template={template}
                    isChosen={template === chosen}
                    isAsked={template === asked}
                    onChoose={() => choose(template)}
                    onUse={() => onUse(template)}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      {chosen && (
        <aside
          aria-label={`Preview of ${chosen.name}`}
          className="sticky top-6 flex max-h-[calc(100dvh-9rem)] flex-col overflow-hidden rounded-card border border-line bg-surface shadow-card max-lg:hidden"
        >
          <header className="flex items-center gap-3 border-line border-b p-4">
            <AgentAvatar id={chosen.id} size={44} />
            <div className="min-w-0 flex-1">
              <h2 className="truncate font-semibold text-base">{chosen.name}</h2>
              <p className="truncate text-muted text-xs">{chosen.category}</p>
            </div>
            <Button variant="primary" onClick={() => onUse(chosen)}>
              Use template
            </Button>
          </header>
          <div
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
            tabIndex={0}
            className="min-h-0 overflow-y-auto p-4 outline-offset-[-2px]"
          >
            <p className="mb-4 text-sm">{chosen.description}</p>
            <TemplatePreview template={chosen} />
          </div>
        </aside>
      )}
    </div>
  );
}

interface TemplateCardProps {
  template: AgentTemplateBody;
  isChosen: boolean;
  /** The address names it, so it is opened and scrolled into view. */
  isAsked: boolean;
  onChoose: () => void;
  onUse: () => void;
}

/** Selecting a card shows its preview beside the list, or below the card on narrow screens. */
function TemplateCard({ template, isChosen, isAsked, onChoose, onUse }: TemplateCardProps) {
  const skills = template.agent.skills?.length ?? 0;
  const isWide = useWide();
  const [isOpen, setIsOpen] = useState(isAsked);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isAsked) setIsOpen(true);
  }, [isAsked]);
  useEffect(() => {
    if (isAsked && isOpen) card.current?.scrollIntoView({ block: 'nearest' });
  }, [isAsked, isOpen]);
  return (
    <article
      ref={card}
      className={classes(
        'relative scroll-my-4 rounded-card border bg-surface p-3.5 shadow-card transition-colors max-md:scroll-mb-20',
        isChosen ? 'border-accent ring-1 ring-accent' : 'border-line hover:border-line-strong',
      )}
    >
      <div className="flex items-start gap-3">
        <AgentAvatar id={template.id} size={38} />
        <div className="min-w-0 flex-1">
          <h3 className="truncate font-semibold text-base leading-5">
            <button
              type="button"
              data-row
              aria-pressed={isChosen}
              onClick={() => {
                onChoose();
                setIsOpen(true);
              }}
              onDoubleClick={onUse}
              className="outline-none after:absolute after:inset-0 after:rounded-card focus-visible:after:outline-2 focus-visible:after:outline-(--focus) focus-visible:after:outline-offset-1"
            >
              {template.name}
            </button>
          </h3>
          <p className="mt-1 line-clamp-2 min-h-10 text-muted text-sm leading-5">{template.description}</p>
          <div className="mt-2 flex items-center gap-2">
            <Badge icon={<Sparkles aria-hidden />}>{skills === 1 ? '1 skill' : `${skills} skills`}</Badge>
            <Button
              size="sm"
              className="-my-0.5 relative z-1 ml-auto"
              aria-label={`Use ${template.name}`}
              onClick={onUse}
            >
              Use
            </Button>
          </div>
        </div>
      </div>
      {!isWide && (
        <details
          open={isOpen}
          className="relative z-1 mt-3 border-line border-t pt-3"
          onToggle={(event) => setIsOpen(event.currentTarget.open)}
        >
          <summary className="w-fit text-muted text-sm">Prompt and skills</summary>
          {isOpen && (
            <div className="mt-3">
              <TemplatePreview template={template} />
            </div>
          )}
        </details>
      )}
    </article>
  );
}

/** Whether the preview has room beside the list. */
function useWide(): boolean {
  return useMedia('(min-width: 64rem)');
}

function LoadingTemplates() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading templates"
      className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_26rem]"
    >
      <div className="grid content-start gap-2.5 sm:grid-cols-2">
        {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
          <Skeleton key={key} className="h-28 rounded-card" />
        ))}
      </div>
      <Skeleton className="h-96 rounded-card max-lg:hidden" />
    </div>
  );
}

interface TemplateGroup {
  category: string;
  templates: AgentTemplateBody[];
}

/** Groups templates by category and keeps the hub's order. */
function groupTemplates(templates: readonly AgentTemplateBody[]): TemplateGroup[] {
  const groups = Map.groupBy(templates, (template) => template.category);
  return [...groups].map(([category, members]) => ({ category, templates: members }));
}

/** The template's system prompt, and its skills with their category colors. */
function TemplatePreview({ template }: { template: AgentTemplateBody }) {
  const id = useId();
  const { systemPrompt = '', skills = [], skillCategories = [] } = template.agent;
  const categories = new Map(skillCategories.map((category) => [category.id, category]));
  return (
    <div className="flex flex-col gap-5">
      {skills.length > 0 && (
        <section aria-labelledby={`${id}-skills`}>
          <h3 id={`${id}-skills`} className="mb-2 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
            {skills.length === 1 ? '1 skill' : `${skills.length} skills`}
          </h3>
          <ul className="flex flex-wrap gap-1.5">
            {skills.map((skill) => {
              const category = skill.categoryId ? categories.get(skill.categoryId) : undefined;
              return (
                <li
                  key={skill.id}
                  title={category?.name}
                  className="inline-flex items-center gap-1.5 rounded-full border border-line bg-raised px-2.5 py-0.5 text-xs"
                >
                  <span
                    aria-hidden
                    className="size-2 rounded-full bg-line-strong"
                    style={category && { backgroundColor: category.color }}
                  />
                  {skill.name}
                </li>
              );
            })}
          </ul>
        </section>
      )}
      <section aria-labelledby={`${id}-prompt`}>
        <h3 id={`${id}-prompt`} className="mb-2 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
          System prompt
        </h3>
        <p className="whitespace-pre-wrap break-words rounded-xl border border-line bg-sunken/60 p-3.5 text-[0.8125rem] text-muted leading-5.5">
          {systemPrompt}
        </p>
      </section>
    </div>
  );
}
