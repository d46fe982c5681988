import { Aspects, CfnResource, type IAspect } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';

/**
 * CloudFormation types that the local cloud (MiniStack 1.5.33) does not support. It refuses a template with one
 * of them, so they are removed locally. A name that ends in `*` covers a whole service.
 */
const unknownTypes: readonly string[] = [
  'AWS::ApiGatewayV2::Deployment',
  'AWS::ApiGatewayV2::Model',
  'AWS::ApiGatewayV2::VpcLink',
  'AWS::ApplicationAutoScaling::*',
  'AWS::Backup::BackupSelection',
  'AWS::Budgets::*',
  'AWS::CloudTrail::Trail',
  'AWS::CloudWatch::AnomalyDetector',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::InsightRule',
  'AWS::CloudWatch::MetricStream',
  'AWS::CodeDeploy::*',
  'AWS::Cognito::IdentityProvider',
  'AWS::Cognito::UserPoolUser',
  'AWS::Cognito::UserPoolUserToGroupAttachment',
  'AWS::Events::ApiDestination',
  'AWS::Events::Archive',
  'AWS::Events::Connection',
  'AWS::Events::EventBusPolicy',
  'AWS::IAM::OIDCProvider',
  'AWS::IAM::RolePolicy',
  'AWS::IAM::ServiceLinkedRole',
  'AWS::KMS::ReplicaKey',
  'AWS::Lambda::CodeSigningConfig',
  'AWS::Logs::QueryDefinition',
  'AWS::ResourceGroups::*',
  'AWS::SES::Template',
  'AWS::SQS::QueueInlinePolicy',
  'AWS::SSM::Document',
  'AWS::SecretsManager::ResourcePolicy',
  'AWS::SecretsManager::RotationSchedule',
  'AWS::StepFunctions::Activity',
  'AWS::StepFunctions::StateMachineAlias',
  'AWS::StepFunctions::StateMachineVersion',
  'AWS::Synthetics::*',
  'AWS::WAFv2::IPSet',
  'AWS::WAFv2::WebACLAssociation',
  'AWS::XRay::*',
];

/** Whether the local cloud refuses a CloudFormation type. */
export function isUnknownType(type: string): boolean {
  return unknownTypes.some((known) =>
    known.endsWith('*') ? type.startsWith(known.slice(0, -1)) : type === known,
  );
}

/** Removes resources that the local cloud does not support; local stage only. */
export function leaveOutUnknownTypes(scope: Construct): void {
  Aspects.of(scope).add(new LeaveOutUnknownTypes());
}

class LeaveOutUnknownTypes implements IAspect {
  visit(node: IConstruct): void {
    if (CfnResource.isCfnResource(node) && isUnknownType(node.cfnResourceType)) {
      node.node.scope?.node.tryRemoveChild(node.node.id);
    }
  }
}
