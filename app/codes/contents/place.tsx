import type { ContentForm, DetailsProps } from './content-form';
import { PartField } from './part-fields';

export const place: ContentForm = {
  icon: 'place',
  main: 'position',
  label: 'position',
  control: { type: 'text', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
  hint: 'positionHint',
  importNote: 'place',
  Details,
};

function Details(props: DetailsProps) {
  return (
    <>
      <PartField {...props} name="placeName" autoComplete="off" />
      <PartField {...props} name="placeAddress" autoComplete="off" />
    </>
  );
}
