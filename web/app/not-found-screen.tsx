import { Link } from '@tanstack/react-router';
import { buttonClass } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Page } from '../ui/page.tsx';
import { useTitle } from '../ui/use-title.ts';
import { EmptyEnclosure } from '../ui/zoo-art.tsx';

export function NotFoundScreen() {
  useTitle('Not found');
  return (
    <Page>
      <EmptyState
        art={<EmptyEnclosure />}
        title="This enclosure is empty"
        level={1}
        actions={
          <Link to="/" className={buttonClass({ variant: 'primary' })}>
            All agents
          </Link>
        }
      >
        There is no page at this address. It may have moved, or it got out.
      </EmptyState>
    </Page>
  );
}
