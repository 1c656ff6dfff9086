import { Fragment } from 'react';

/** A name in code that wraps after its underscores and hyphens. */
export function CodeName({ name }: { name: string }) {
  return name.split(/(?<=[_-])(?![_-])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity beyond their order.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
