import { Page, PageHeader } from '../ui/page.tsx';
import { useTitle } from '../ui/use-title.ts';

export function MailScreen() {
  useTitle('Mail');
  return (
    <Page>
      <PageHeader title="Mail" />
    </Page>
  );
}
