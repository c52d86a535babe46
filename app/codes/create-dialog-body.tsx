import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Messages } from '~/i18n/options';
import { useArrivedMessages } from '~/i18n/use-arrived-messages';
import { Dialog } from '~/ui/dialog';
import { useAnswerScope } from '~/ui/page-answer';
import { forgetFields } from '~/ui/restored-fields';
import { CodeForm, type CodeFormAnswer, type CodeFormData, DIALOG } from './code-form';
import { LookFields } from './look/look-fields';

/** Answer of the loader of /create; `texts` come along when a script asks. */
export interface CreationLoad {
  creation: CodeFormData;
  texts: Messages | null;
  /** Of the language it speaks. */
  tag: string;
}

interface Props {
  load: CreationLoad;
  tag: string;
  /** Whether the page it was opened on is still there. */
  isHere: boolean;
  onClosed: () => void;
}

export function CreateDialogBody({ load, tag, isHere, onClosed }: Props) {
  useArrivedMessages(tag, load.texts);
  const answer = useAnswerScope().answer as CodeFormAnswer | undefined;
  const { t } = useTranslation('design');
  const [isCancelled, setIsCancelled] = useState(false);
  const isOpen = isHere && !isCancelled;
  const cancel = () => setIsCancelled(true);

  useEffect(() => {
    // By now the dialog has closed and given the focus back; taken away while open it would not.
    if (!isOpen) onClosed();
    // A navigation away is the answer to what was sent; closed without one, the design is there again the next time.
    if (!isHere) forgetFields(DIALOG);
  }, [isOpen, isHere, onClosed]);

  return (
    <Dialog open={isOpen} onClose={cancel} title={t('create.title')} staticBackdrop>
      <CodeForm data={load.creation} answer={answer} action="/create" isModal withLabels look={LookFields} />
    </Dialog>
  );
}
