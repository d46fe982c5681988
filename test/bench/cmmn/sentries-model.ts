/** The model `sentries.cmmn` with any number of tasks: completing "First" opens all of them. */
export function sentriesModel(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const items = numbers.map(
    (n) =>
      `<planItem id="pi${n}" name="Task ${n}" definitionRef="task${n}"><entryCriterion id="ec${n}" sentryRef="sentry${n}"/></planItem>`,
  );
  const sentries = numbers.map(
    (n) =>
      `<sentry id="sentry${n}"><planItemOnPart id="on${n}" sourceRef="piFirst"><standardEvent>complete</standardEvent></planItemOnPart></sentry>`,
  );
  const tasks = numbers.map((n) => `<humanTask id="task${n}" name="Task ${n}"/>`);
  return `<definitions xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL" targetNamespace="http://example.com/bench">
<case id="sentries${count}"><casePlanModel id="plan" autoComplete="true">
<planItem id="piFirst" name="First" definitionRef="first"/>
${[...items, ...sentries].join('\n')}
<humanTask id="first" name="First"/>
${tasks.join('\n')}
</casePlanModel></case></definitions>`;
}
