import { ListChecks } from 'lucide-react';
import { firstStepsId } from '../../../../src/inbox/inbox.ts';
import { useDismiss, useFirstSteps } from '../../../api/inbox-queries.ts';
import { MenuItem } from '../../../ui/menu.tsx';
import { showError } from '../../../ui/toast.tsx';

/** Brings hidden first steps back. */
export function FirstStepsItem() {
  const { data } = useFirstSteps();
  const dismiss = useDismiss();
  if (!data?.isPutAway) return null;
  const show = () =>
    dismiss.mutate(
      { ids: [firstStepsId], isUndo: true },
      { onError: (error) => showError('The first steps could not be shown', error) },
    );
  return (
    <MenuItem icon={<ListChecks aria-hidden />} onClick={show}>
      Show first steps
    </MenuItem>
  );
}
