import { HubError } from '../base/hub-error.ts';
import { Component, type ComponentHooks } from '../engine/component.ts';

/** A plain object may have a name. */
type ObjectComponent = ComponentHooks & { name?: string | undefined };

/** A class is instantiated for each run, and so is what a function returns. */
export type AgentComponent =
  | ObjectComponent
  | (new () => ObjectComponent)
  | (() => ObjectComponent | Promise<ObjectComponent>);

const hooks: readonly string[] = [
  'onMount',
  'onStart',
  'onTickStart',
  'render',
  'onTickEnd',
  'onMessage',
  'onError',
  'onComplete',
  'onUnmount',
] satisfies (keyof ComponentHooks)[];
/** AIDK's hooks that have no counterpart. */
const otherHooks: Readonly<Record<string, string>> = {
  onAfterCompile: 'there is nothing to compile: change the context in onTickStart',
};

/** Recognizes a component. Throws INVALID_ARGUMENTS for JSX. */
export function isComponent(value: object): value is AgentComponent {
  if (typeof value === 'function' || value instanceof Component) return true;
  if ('type' in value && 'props' in value) throw invalid(`JSX is not supported. ${howTo}`);
  return [...hooks, ...Object.keys(otherHooks)].some((hook) => hook in value);
}

const howTo = 'Pass a component: a class or an object with functions such as onStart(com) and onTickEnd(com, state).';

/** Throws INVALID_ARGUMENTS for something that is no component. */
export async function toComponent(given: AgentComponent): Promise<ComponentHooks> {
  const component: unknown = typeof given === 'function' ? await create(given) : given;
  if (typeof component !== 'object' || component === null || !isComponent(component)) {
    const what =
      typeof given === 'function'
        ? `${given.name || 'The function'} does not create a component.`
        : 'This is no component.';
    throw invalid(`${what} ${howTo}`);
  }
  for (const [hook, instead] of Object.entries(otherHooks)) {
    if (typeof (component as Record<string, unknown>)[hook] === 'function')
      throw invalid(`${hook} is not supported: ${instead}.`);
  }
  return component as ComponentHooks; // Its functions are those of a component.
}

function create(given: Exclude<AgentComponent, ObjectComponent>): unknown {
  return isClass(given) ? new given() : given();
}

function isClass(value: Exclude<AgentComponent, ObjectComponent>): value is new () => ObjectComponent {
  const prototype: unknown = value.prototype;
  if (typeof prototype !== 'object' || prototype === null) return false;
  return prototype instanceof Component || hooks.some((hook) => hook in prototype) || /^class\b/.test(String(value));
}

function invalid(message: string): HubError {
  return new HubError('INVALID_ARGUMENTS', message);
}
