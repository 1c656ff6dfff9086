import { Page, PageHeader } from '../../ui/page.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { BrowserSection } from './browser-section.tsx';
import { KeySection } from './key-section.tsx';

/** Who may use this hub: signed-in browsers and the keys of clients. */
export function AccessScreen() {
  useTitle('Access');
  return (
    <Page className="max-w-4xl!">
      <PageHeader title="Access" description="Browsers and clients that may use this hub, and when they last did." />
      <div className="flex flex-col gap-8">
        <BrowserSection />
        <KeySection />
      </div>
    </Page>
  );
}
