import { type ReactNode, useEffect, useRef } from 'react';

/**
 * Leaves the focus of notices to the user. Their library would move it back when Tab leaves a notice, so it does not learn where
 * the focus is. A notice stays while it has the focus. On Escape, or when the notice closes, the focus returns to where it was.
 */
export function NoticeFocus({ children }: { children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => (area.current ? followFocus(area.current) : undefined), []);
  return (
    <div ref={area} className="contents">
      {children}
    </div>
  );
}

function followFocus(area: HTMLElement): () => void {
  /** The focused part of a notice, and where the focus was before. */
  let visit: { target: Node; origin: EventTarget | null } | undefined;
  const settle = () => {
    if (!visit || area.contains(document.activeElement)) return;
    const { target, origin } = visit;
    visit = undefined;
    expand(area, false);
    if (!target.isConnected) focus(origin);
  };
  const on = {
    focusin(event: FocusEvent) {
      event.stopPropagation();
      visit = { target: event.target as Node, origin: visit ? visit.origin : event.relatedTarget };
      expand(area, true);
    },
    focusout(event: FocusEvent) {
      event.stopPropagation();
      // Only nodes have the focus. Later, because an element that React removes is still there.
      if (!area.contains(event.relatedTarget as Node | null)) queueMicrotask(settle);
    },
    keydown(event: KeyboardEvent) {
      if (event.key !== 'Escape') return;
      // It does not also close a dialog.
      event.stopPropagation();
      focus(visit?.origin);
      // Nothing had the focus before, or it has gone.
      if (area.contains(document.activeElement)) (event.target as HTMLElement).blur();
    },
  };
  // Not every browser reports the focus that is lost with an element.
  const observer = new MutationObserver(settle);
  observer.observe(area, { childList: true, subtree: true });
  for (const [name, listener] of Object.entries(on)) area.addEventListener(name, listener as EventListener);
  return () => {
    observer.disconnect();
    for (const [name, listener] of Object.entries(on)) area.removeEventListener(name, listener as EventListener);
  };
}

function focus(target: EventTarget | null | undefined): void {
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}

/** The library expands notices, and stops their clocks, while the pointer is over them. */
function expand(area: HTMLElement, isExpanded: boolean): void {
  const list = area.querySelector('ol');
  if (isExpanded) list?.dispatchEvent(new MouseEvent('mousemove', { bubbles: true }));
  else list?.dispatchEvent(new MouseEvent('mouseout', { bubbles: true, relatedTarget: document.body }));
}
