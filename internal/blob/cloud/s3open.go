package cloud

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/magiconair/properties"

	trowel "github.com/trowel-project/trowel"
)

// someRegion is used for stores that have no regions but need one in signatures.
const someRegion = "us-east-1"

func openS3(ctx context.Context, opts Options) (*s3Bucket, error) {
	settings, err := config.LoadDefaultConfig(ctx, func(load *config.LoadOptions) error {
		load.Region = opts.Region
		if opts.Endpoint != "" { // a store of another maker may not know Amazon's newer checksums
			load.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
			load.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		}
		var err error
		load.Credentials, err = keysOf(opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	if settings.Region == "" {
		settings.Region = someRegion
	}
	client := s3.NewFromConfig(settings, func(o *s3.Options) {
		o.UsePathStyle = opts.PathStyle
		o.APIOptions = append(o.APIOptions, withoutOperation)
		if opts.Endpoint != "" {
			o.BaseEndpoint = aws.String(withScheme(opts.Endpoint))
		}
	})
	return &s3Bucket{
		client: client, signer: s3.NewPresignClient(client), name: aws.String(opts.Bucket), prefix: opts.Prefix,
		getExpires: opts.GetExpires, putExpires: opts.PutExpires,
	}, nil
}

// withoutOperation removes from URLs the name of the operation, which the library adds for the logs of Amazon alone.
func withoutOperation(stack *middleware.Stack) error {
	return stack.Build.Add(middleware.BuildMiddlewareFunc("WithoutOperation", func(
		ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler,
	) (middleware.BuildOutput, middleware.Metadata, error) {
		if request, ok := in.Request.(*smithyhttp.Request); ok {
			query := request.URL.Query()
			query.Del("x-id")
			request.URL.RawQuery = query.Encode()
		}
		return next.HandleBuild(ctx, in)
	}), middleware.After)
}

// withScheme adds https to an endpoint that is just a host.
func withScheme(endpoint string) string {
	if strings.Contains(endpoint, "://") {
		return endpoint
	}
	return "https://" + endpoint
}

// keysOf returns the configured credentials. If it returns nil, Amazon's usual places are searched.
func keysOf(opts Options) (aws.CredentialsProvider, error) {
	id, key := opts.AccessKeyID, opts.SecretAccessKey
	if opts.CredentialsFile != "" {
		file, err := properties.LoadFile(opts.CredentialsFile, properties.UTF8)
		if err != nil {
			return nil, fmt.Errorf("read credentials: %w", err)
		}
		id, key = file.GetString("accessKey", ""), file.GetString("secretKey", "")
		if id == "" || key == "" {
			return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "credentials are missing", Where: opts.CredentialsFile, Hint: "it needs lines accessKey=... and secretKey=..."}
		}
	}
	if id == "" && key == "" {
		return nil, nil //nolint:nilnil // nil means the usual places
	}
	if id == "" || key == "" {
		return nil, errors.New("of access-key-id and secret-access-key one is missing")
	}
	return credentials.NewStaticCredentialsProvider(id, key, ""), nil
}
