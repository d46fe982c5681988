const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const INSTRUCTIONS =
  'Compare the documents of the applicant with the register, note every difference and ask back where something is missing.';

/**
 * Any number of tasks as people model them: a name, instructions, a form, candidates and a priority that are constant,
 * an assignee and a due date that are not. Completing "First" opens all of them.
 */
export function realisticModel(count: number): string {
  const items = numbers(count).map(
    (n) =>
      `<planItem id="planItem_${n}" name="Check application ${n}" definitionRef="humanTask_${n}"><entryCriterion id="criterion_${n}" sentryRef="sentry_${n}"/></planItem>
<sentry id="sentry_${n}"><planItemOnPart id="onPart_${n}" sourceRef="planItem_first"><standardEvent>complete</standardEvent></planItemOnPart></sentry>`,
  );
  const tasks = numbers(count).map(
    (n) =>
      `<humanTask id="humanTask_${n}" name="Check application ${n}" flowable:assignee="\${clerk}" flowable:candidateGroups="clerks,team leads" flowable:formKey="check-application" flowable:priority="70" flowable:category="applications" flowable:dueDate="P14D"><documentation>${INSTRUCTIONS}</documentation></humanTask>`,
  );
  return `<definitions xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL" xmlns:flowable="http://flowable.org/cmmn" targetNamespace="http://example.com/bench">
<case id="realistic${count}"><casePlanModel id="plan" autoComplete="true">
<planItem id="planItem_first" name="First" definitionRef="first"/>
${items.join('\n')}
<humanTask id="first" name="First"/>
${tasks.join('\n')}
</casePlanModel></case></definitions>`;
}
