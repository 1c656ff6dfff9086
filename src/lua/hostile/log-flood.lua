function agent.resolve()
  while true do
    log.info(("x"):rep(100000))
    print(1, nil, {})
  end
end
