/** The case model of the demo data: a loan with a stage, a milestone, a timer and something to start by hand. */
export const demoModel = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/CMMN/20151109/MODEL" xmlns:flowable="http://flowable.org/cmmn" targetNamespace="urn:svc-cloud:demo">
  <case id="demoLoan" name="Loan">
    <casePlanModel id="demoLoanPlan" name="Loan" autoComplete="true">
      <planItem id="itemAssessment" name="Assessment" definitionRef="assessment"/>
      <planItem id="itemCreditworthy" name="Creditworthy" definitionRef="creditworthy">
        <entryCriterion id="whenAssessed" sentryRef="assessed"/>
      </planItem>
      <planItem id="itemPayOut" name="Pay out" definitionRef="payOut">
        <entryCriterion id="whenCreditworthy" sentryRef="isCreditworthy"/>
        <exitCriterion id="whenWithdrawn" sentryRef="isWithdrawn"/>
      </planItem>
      <planItem id="itemWithdrawn" name="Request withdrawn" definitionRef="withdrawn"/>
      <planItem id="itemReminder" name="A week has passed" definitionRef="reminder"/>
      <sentry id="assessed"><planItemOnPart id="onAssessed" sourceRef="itemAssessment"><standardEvent>complete</standardEvent></planItemOnPart></sentry>
      <sentry id="isCreditworthy"><planItemOnPart id="onCreditworthy" sourceRef="itemCreditworthy"><standardEvent>occur</standardEvent></planItemOnPart></sentry>
      <sentry id="isWithdrawn"><planItemOnPart id="onWithdrawn" sourceRef="itemWithdrawn"><standardEvent>occur</standardEvent></planItemOnPart></sentry>
      <stage id="assessment" name="Assessment" autoComplete="true">
        <planItem id="itemReview" name="Review the request" definitionRef="review"/>
        <planItem id="itemDecide" name="Decide" definitionRef="decide">
          <entryCriterion id="whenReviewed" sentryRef="reviewed"/>
        </planItem>
        <planItem id="itemVisit" name="Visit the customer" definitionRef="visit">
          <itemControl><manualActivationRule/></itemControl>
        </planItem>
        <sentry id="reviewed">
          <planItemOnPart id="onReviewed" sourceRef="itemReview"><standardEvent>complete</standardEvent></planItemOnPart>
          <ifPart><condition>\${amount &gt; 1000}</condition></ifPart>
        </sentry>
        <humanTask id="review" name="Review the request" flowable:candidateGroups="clerks"/>
        <humanTask id="decide" name="Decide" flowable:candidateGroups="managers"/>
        <humanTask id="visit" name="Visit the customer" flowable:candidateGroups="clerks"/>
      </stage>
      <milestone id="creditworthy" name="Creditworthy"/>
      <humanTask id="payOut" name="Pay out" flowable:candidateGroups="clerks"/>
      <userEventListener id="withdrawn" name="Request withdrawn"/>
      <timerEventListener id="reminder" name="A week has passed"><timerExpression>P7D</timerExpression></timerEventListener>
    </casePlanModel>
  </case>
</definitions>
`;
