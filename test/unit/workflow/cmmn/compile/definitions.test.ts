// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how JUEL writes its expressions
import { describe, expect, it } from 'vitest';
import {
  compile,
  referencesOf,
  snapshotOf,
} from '../../../../../functions/workflow/domain/cmmn/index.ts';
import { aModel, aSentry, aTask, compiled } from '../../../../helpers/cmmn/cmmn.ts';

const DRAWING = `<cmmndi:CMMNDI xmlns:cmmndi="http://www.omg.org/spec/CMMN/20151109/CMMNDI" xmlns:dc="http://www.omg.org/spec/CMMN/20151109/DC" xmlns:di="http://www.omg.org/spec/CMMN/20151109/DI"><cmmndi:CMMNDiagram id="d1" name="Drawing">
<cmmndi:CMMNShape id="s1" cmmnElementRef="piA" isCollapsed="true"><dc:Bounds x="1" y="2.5" width="30" height="40"/><cmmndi:CMMNLabel><dc:Bounds x="3" y="4" width="5" height="6"/></cmmndi:CMMNLabel></cmmndi:CMMNShape>
<cmmndi:CMMNShape id="s2" cmmnElementRef="nobody"/>
<cmmndi:CMMNEdge id="e1" cmmnElementRef="sOn" targetCMMNElementRef="e"><di:waypoint x="1" y="1"/><di:waypoint x="2" y="3"/></cmmndi:CMMNEdge>
</cmmndi:CMMNDiagram></cmmndi:CMMNDI>`;
const drawn = (planModel: string): string =>
  aModel(planModel).replace('</definitions>', `${DRAWING}</definitions>`);
const BROKEN = '<planItem id="piZ" definitionRef="nowhere"/>';

describe('a compiled document', () => {
  it('lists its cases also when there are errors in them', async () => {
    const broken = await compile(
      aModel(aTask('A') + BROKEN).replace('<case id', '<case name="N" id'),
    );
    const without = await compile(aModel('').replace(/<casePlanModel[\s\S]*casePlanModel>/, ''));
    const none = await compile('<definitions');

    expect(broken).toMatchObject({
      isValid: false,
      cases: [],
      definitions: [{ key: 'theCase', name: 'N' }],
    });
    expect(without).toMatchObject({ isValid: false, definitions: [{ key: 'theCase' }] });
    expect(none).toMatchObject({ isValid: false, definitions: [], diagrams: [] });
  });

  it('keeps how it is drawn, also when there are errors in it', async () => {
    const { diagrams, isValid } = await compile(drawn(aTask('A') + BROKEN));

    expect(isValid).toBe(false);
    expect(diagrams).toEqual([
      {
        id: 'd1',
        name: 'Drawing',
        shapes: [
          {
            elementId: 'piA',
            bounds: { x: 1, y: 2.5, width: 30, height: 40 },
            isCollapsed: true,
            label: { x: 3, y: 4, width: 5, height: 6 },
          },
        ],
        edges: [
          {
            elementId: 'sOn',
            sourceId: undefined,
            targetId: 'e',
            waypoints: [
              { x: 1, y: 1 },
              { x: 2, y: 3 },
            ],
            label: undefined,
          },
        ],
      },
    ]);
  });
});

describe('the snapshot of a case', () => {
  it('is flat, a stage before what is in it, with expressions as they are written', async () => {
    const [definition] = await compiled(
      aModel(
        `${aTask('A', '', 'flowable:assignee="ann" flowable:candidateGroups="clerks, bosses" flowable:formKey="f"')}<planItem id="pS" name="Stage" definitionRef="S"><itemControl><requiredRule/><repetitionRule flowable:maxInstanceCount="2"><condition><![CDATA[\${again}]]></condition></repetitionRule></itemControl><entryCriterion id="e" sentryRef="s"/></planItem><stage id="S" autoComplete="true">${aTask('B')}</stage>${aSentry('s', 'piA', 'complete', '${ready}')}${aTask('C')}`,
      ),
    );
    if (!definition) throw new Error('a model is needed');

    const snapshot = snapshotOf(definition);

    expect(snapshot.planItems.map(({ id, parentPlanItemId }) => [id, parentPlanItemId])).toEqual([
      ['piA', undefined],
      ['pS', undefined],
      ['piB', 'pS'],
      ['piC', undefined],
    ]);
    expect(snapshot.planItems[0]).toMatchObject({
      definitionKey: 'A',
      type: 'humanTask',
      stageId: 'theCasePlan',
      assignee: 'ann',
      candidateGroups: ['clerks', 'bosses'],
      formKey: 'f',
      required: null,
      repetition: null,
    });
    expect(snapshot.planItems[1]).toMatchObject({
      type: 'stage',
      autoComplete: true,
      required: { condition: null },
      repetition: { condition: '${again}', maxInstanceCount: 2 },
      entryCriteria: [{ id: 'e', sentryId: 's' }],
    });
    expect(snapshot.sentries).toEqual([
      expect.objectContaining({
        id: 's',
        stageId: 'theCasePlan',
        ifPart: '${ready}',
        onParts: [{ sourcePlanItemId: 'piA', sourceDefinitionKey: 'A', standardEvent: 'complete' }],
      }),
    ]);
    expect(JSON.parse(JSON.stringify(snapshot))).toMatchObject({ key: 'theCase' });
  });
});

describe('the references of a case', () => {
  it('say what to load before a command is given, at every depth', async () => {
    const [definition] = await compiled(
      aModel(
        `<planItem id="p1" definitionRef="c1"/><caseTask id="c1" caseRef="child" flowable:sameDeployment="true"/><planItem id="pS" definitionRef="S"/><stage id="S"><planItem id="p2" definitionRef="c2"/><caseTask id="c2" caseRef="\${which}"/><planItem id="p3" definitionRef="p"/><processTask id="p" processRef="ship"/></stage><planItem id="p4" definitionRef="d"/><decisionTask id="d" decisionRef="price"/>`,
      ),
    );
    if (!definition) throw new Error('a model is needed');

    expect(referencesOf(definition)).toEqual({
      cases: [
        { elementId: 'c1', key: 'child', sameDeployment: true },
        { elementId: 'c2', expression: '${which}', sameDeployment: false },
      ],
      processes: [{ elementId: 'p', key: 'ship', sameDeployment: false }],
      decisions: [{ elementId: 'd', key: 'price', sameDeployment: false }],
    });
  });
});
