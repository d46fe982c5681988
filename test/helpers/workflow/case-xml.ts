interface CaseModelFacts {
  readonly key?: string;
  /** Name of its one task. */
  readonly task?: string;
  /** Elements of its plan instead of that task. */
  readonly plan?: string;
}

/** A CMMN document of one case. */
export function caseXml({
  key = 'loan',
  task = 'Review',
  plan = `<planItem id="pi" definitionRef="review" />
      <humanTask id="review" name="${task}" flowable:candidateGroups="clerks" />`,
}: CaseModelFacts = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL"
    xmlns:flowable="http://flowable.org/cmmn" targetNamespace="http://example.org">
  <case id="${key}" name="Case ${key}">
    <casePlanModel id="${key}Plan">
      ${plan}
    </casePlanModel>
  </case>
</definitions>`;
}

/** A DMN document with one table: the variable `rate` follows from `amount`. */
export const rateDmn = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="rates" name="Rates" namespace="http://example.org">
  <decision id="rate" name="Rate">
    <decisionTable id="rateTable" hitPolicy="FIRST">
      <input id="in"><inputExpression id="inText"><text>amount</text></inputExpression></input>
      <output id="out" name="rate" />
      <rule id="high"><inputEntry id="h1"><text>&gt; 1000</text></inputEntry><outputEntry id="h2"><text>3</text></outputEntry></rule>
      <rule id="low"><inputEntry id="l1"><text>-</text></inputEntry><outputEntry id="l2"><text>5</text></outputEntry></rule>
    </decisionTable>
  </decision>
</definitions>`;
