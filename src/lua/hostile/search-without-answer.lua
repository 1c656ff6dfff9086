function agent.resolve(args, config, context)
  context.search("never")
end
