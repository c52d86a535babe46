interface FormError {
  field?: string | undefined;
  text: string;
}

/** Errors in the order of their fields on the page; what is about the whole form comes first. */
export function inPageOrder(errors: FormError[], formId: string, names: readonly string[]): FormError[] {
  const placeOf = ({ field }: FormError) => names.indexOf(field?.slice(formId.length + 1) ?? '');
  return [...errors].sort((a, b) => placeOf(a) - placeOf(b));
}
