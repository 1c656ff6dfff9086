function agent.resolve(args)
  http.get(args.silent, { timeout = 3600 })
end
