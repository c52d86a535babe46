import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LookFields } from '~/codes/look/look-fields';
import { type Messages, useArrivedMessages } from '~/i18n/page-messages';
import { Dialog } from '~/ui/dialog';
import { useActionDataScope } from '~/ui/page-action-data';
import { CodeForm, type CodeFormActionData, type CodeFormData } from './form';

/** Loader data of /create; `texts` is included when a script requests it. */
export interface CreationLoad {
  creation: CodeFormData;
  texts: Messages | null;
  /** Language tag of the response. */
  tag: string;
}

interface Props {
  load: CreationLoad;
  tag: string;
  /** Whether the page it was opened on is still shown. */
  isHere: boolean;
  onClosed: () => void;
}

export function CreateDialogBody({ load, tag, isHere, onClosed }: Props) {
  useArrivedMessages(tag, load.texts);
  const actionData = useActionDataScope().actionData as CodeFormActionData | undefined;
  const { t } = useTranslation('design');
  const [isCancelled, setIsCancelled] = useState(false);
  const isOpen = isHere && !isCancelled;
  const cancel = () => setIsCancelled(true);

  useEffect(() => {
    // Only now may it unmount: a dialog unmounted while open does not restore the focus.
    if (!isOpen) onClosed();
  }, [isOpen, onClosed]);

  return (
    <Dialog open={isOpen} onClose={cancel} title={t('create.title')} staticBackdrop>
      <CodeForm
        data={load.creation}
        actionData={actionData}
        action="/create"
        isModal
        withLabels
        look={LookFields}
      />
    </Dialog>
  );
}
