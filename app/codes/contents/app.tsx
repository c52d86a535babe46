import type { ContentForm, DetailsProps } from './content-form';
import { LINK_INPUT, PartField } from './part-fields';

export const app: ContentForm = {
  icon: 'app',
  main: 'appStore',
  label: 'appStore',
  control: LINK_INPUT,
  isOptional: true,
  note: 'appNote',
  importNote: 'app',
  Details,
  related: { googlePlay: ['appStore'], otherAddress: ['appStore'] },
};

function Details(props: DetailsProps) {
  return (
    <>
      <PartField {...props} name="googlePlay" {...LINK_INPUT} />
      <PartField {...props} name="otherAddress" {...LINK_INPUT} hint="otherAddressHint" />
    </>
  );
}
