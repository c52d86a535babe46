import type { FetcherWithComponents } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { useArrivedMessages } from '~/i18n/use-arrived-messages';
import { Button } from '~/ui/button';
import { Dialog } from '~/ui/dialog';
import { CodeForm, type CodeFormAnswer } from './code-form';
import type { CreationLoad } from './create-dialog';

interface Props {
  load: CreationLoad;
  answer: FetcherWithComponents<CodeFormAnswer>;
  tag: string;
  onCancel: () => void;
}

export function CreateDialogBody({ load, answer, tag, onCancel }: Props) {
  useArrivedMessages(tag, load.texts);
  const { t } = useTranslation('design');
  return (
    <Dialog open onClose={onCancel} title={t('create.title')} staticBackdrop>
      <CodeForm data={load.creation} answer={answer.data} action="/create" Form={answer.Form}>
        <Button type="button" variant="quiet" onClick={onCancel}>
          {t('common:form.cancel')}
        </Button>
      </CodeForm>
    </Dialog>
  );
}
