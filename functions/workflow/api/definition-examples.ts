/** A case with one task. */
export const xml = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL"
    xmlns:flowable="http://flowable.org/cmmn" targetNamespace="http://example.org/loans">
  <case id="loan" name="Loan">
    <casePlanModel id="loanPlan" name="Loan">
      <planItem id="planReview" definitionRef="review" />
      <humanTask id="review" name="Review the application" flowable:candidateGroups="clerks" />
    </casePlanModel>
  </case>
</definitions>
`;

export const modelReport = {
  valid: true,
  errors: [],
  warnings: [],
  infos: [{ code: 'DI_MISSING', severity: 'INFO', message: 'The document holds no diagram.' }],
  caseDefinitions: [{ key: 'loan', name: 'Loan' }],
};
